// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/matcher.hpp"

#include <utility>

namespace linkworth::replay {

/// Removes the places of what was taken, or moves everything into a hash table if all of it waits.
void Matcher::make_room() {
    if (receives_.waiting + messages_.waiting == most_waiting) hashed_ = std::make_unique<HashedMatcher>();
    const auto old = list_;
    const std::uint32_t receives = std::exchange(receives_, {}).places;
    const std::uint32_t messages = std::exchange(messages_, {}).places;
    for (std::uint32_t place = 0; place < receives; ++place)
        if (old[place].item != none) post(old[place].envelope, old[place].item);
    for (std::uint32_t place = most_waiting; place-- > most_waiting - messages;)
        if (old[place].item != none) arrive(old[place].envelope, old[place].item);
}

std::uint32_t Matcher::peek(const Envelope& envelope) const {
    if (hashed_) return hashed_->peek(envelope);
    const std::uint32_t place = place_of_message(envelope);
    return place < messages_.places ? message_at(place).item : none;
}

bool Matcher::withdraw(const Envelope& envelope, std::uint32_t receive) {
    if (hashed_) return hashed_->withdraw(envelope, receive);
    for (std::uint32_t place = 0; place < receives_.places; ++place)
        if (receive_at(place).item == receive) {
            take(receive_at(place), receives_);
            return true;
        }
    return false;
}

}  // namespace linkworth::replay
