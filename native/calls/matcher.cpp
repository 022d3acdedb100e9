// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/matcher.hpp"

namespace linkworth::replay {

/// Moves the list, and the entry that has no room in it, into a hash table.
void Matcher::grow(const Entry& entry) {
    hashed_ = std::make_unique<HashedMatcher>();
    const auto move = [&](const Entry& moved) {
        moved.is_message() ? hashed_->arrive(moved.envelope, moved.item())
                           : hashed_->post(moved.envelope, moved.item());
    };
    for (std::uint32_t place = 0; place < waiting_; ++place) move(list_[place]);
    move(entry);
    waiting_ = 0;
}

std::uint32_t Matcher::peek(const Envelope& envelope) const {
    if (hashed_) return hashed_->peek(envelope);
    const std::uint32_t place = place_of_message(envelope);
    return place < waiting_ ? list_[place].item() : none;
}

bool Matcher::withdraw(const Envelope& envelope, std::uint32_t receive) {
    if (hashed_) return hashed_->withdraw(envelope, receive);
    for (std::uint32_t place = 0; place < waiting_; ++place)
        if (!list_[place].is_message() && list_[place].item() == receive) {
            take(place);
            return true;
        }
    return false;
}

}  // namespace linkworth::replay
