// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/hashed_matcher.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace linkworth::replay {
namespace {

constexpr std::uint32_t initial_places = 16;

std::uint64_t hash(const Envelope& envelope) {
    std::uint64_t mixed = static_cast<std::uint64_t>(envelope.context) * 0x9e3779b97f4a7c15ULL;
    mixed ^= (static_cast<std::uint64_t>(static_cast<std::uint32_t>(envelope.source)) << 32) |
             static_cast<std::uint32_t>(envelope.tag);
    mixed *= 0xd6e8feb86659fd93ULL;
    return mixed ^ (mixed >> 32);
}

}  // namespace

HashedMatcher::HashedMatcher() : places_(initial_places) {}

std::uint32_t HashedMatcher::find(const Envelope& envelope) const {
    const std::uint32_t mask = static_cast<std::uint32_t>(places_.size()) - 1;
    std::uint32_t place = static_cast<std::uint32_t>(hash(envelope)) & mask;
    while (places_[place].used && places_[place].envelope != envelope) place = (place + 1) & mask;
    return place;
}

/// Makes room for one more: removes the queues that are empty now, and doubles the table if that is not
/// enough.
void HashedMatcher::make_room() {
    const auto live = static_cast<std::uint32_t>(std::count_if(
        places_.begin(), places_.end(), [](const Place& place) { return place.first != none; }));
    std::vector<Place> old(live * 4 > places_.size() ? places_.size() * 2 : places_.size());
    old.swap(places_);
    used_ = live;
    for (const Place& place : old)
        if (place.first != none) places_[find(place.envelope)] = place;
}

/// Puts a link to the end of the queue of its envelope, which is at `place` if it is anywhere.
void HashedMatcher::append(std::uint32_t place, const Envelope& envelope, std::uint32_t link, bool messages) {
    if (!places_[place].used) {
        if ((used_ + 1) * 2 > places_.size()) {
            make_room();
            place = find(envelope);
        }
        ++used_;
        places_[place] = Place{envelope, link, link, true, messages};
        return;
    }
    Place& queue = places_[place];
    if (queue.first == none) {
        queue.first = link;
        queue.messages = messages;
    } else {
        links_[queue.last].next = link;
    }
    queue.last = link;
}

std::uint32_t HashedMatcher::pop_first(std::uint32_t place) {
    const std::uint32_t link = places_[place].first;
    places_[place].first = links_[link].next;
    return link;
}

void HashedMatcher::unlink_arrival(std::uint32_t link) {
    const Link& gone = links_[link];
    (gone.earlier == none ? oldest_ : links_[gone.earlier].later) = gone.later;
    (gone.later == none ? newest_ : links_[gone.later].earlier) = gone.earlier;
}

std::uint32_t HashedMatcher::arrive(const Envelope& envelope, std::uint32_t message) {
    const std::uint32_t place = find(envelope);
    const bool exact = places_[place].first != none && !places_[place].messages;
    const std::uint64_t exact_order = exact ? links_[places_[place].first].order : ~0ULL;
    for (std::size_t i = 0; i < wildcards_.size(); ++i) {
        const std::uint32_t link = wildcards_[i];
        if (links_[link].order > exact_order) break;
        if (!links_[link].envelope.accepts(envelope)) continue;
        const std::uint32_t receive = links_[link].item;
        wildcards_.erase(wildcards_.begin() + static_cast<std::ptrdiff_t>(i));
        links_.release(link);
        return receive;
    }
    if (exact) {
        const std::uint32_t link = pop_first(place);
        const std::uint32_t receive = links_[link].item;
        links_.release(link);
        return receive;
    }
    const std::uint32_t link = links_.take();
    Link& waiting = links_[link];
    waiting.envelope = envelope;
    waiting.item = message;
    waiting.earlier = newest_;
    (newest_ == none ? oldest_ : links_[newest_].later) = link;
    newest_ = link;
    append(place, envelope, link, true);
    return none;
}

std::uint32_t HashedMatcher::place_of_oldest(const Envelope& wanted) {
    std::uint32_t link = oldest_;
    while (link != none && !wanted.accepts(links_[link].envelope)) link = links_[link].later;
    // The oldest message of its envelope is first in that envelope's queue.
    return link == none ? none : find(links_[link].envelope);
}

std::uint32_t HashedMatcher::post(const Envelope& envelope, std::uint32_t receive) {
    std::uint32_t place = envelope.has_wildcard() ? place_of_oldest(envelope) : find(envelope);
    if (place != none && places_[place].first != none && places_[place].messages) {
        const std::uint32_t link = pop_first(place);
        const std::uint32_t message = links_[link].item;
        unlink_arrival(link);
        links_.release(link);
        return message;
    }
    const std::uint32_t link = links_.take();
    Link& posted = links_[link];
    posted.envelope = envelope;
    posted.item = receive;
    posted.order = order_++;
    if (envelope.has_wildcard())
        wildcards_.push_back(link);
    else
        append(place, envelope, link, false);
    return none;
}

std::uint32_t HashedMatcher::peek(const Envelope& envelope) const {
    if (!envelope.has_wildcard()) {
        const Place& place = places_[find(envelope)];
        return place.first != none && place.messages ? links_[place.first].item : none;
    }
    std::uint32_t link = oldest_;
    while (link != none && !envelope.accepts(links_[link].envelope)) link = links_[link].later;
    return link == none ? none : links_[link].item;
}

bool HashedMatcher::withdraw(const Envelope& envelope, std::uint32_t receive) {
    if (envelope.has_wildcard()) {
        const auto found = std::find_if(wildcards_.begin(), wildcards_.end(),
                                        [&](std::uint32_t link) { return links_[link].item == receive; });
        if (found == wildcards_.end()) return false;
        links_.release(*found);
        wildcards_.erase(found);
        return true;
    }
    const std::uint32_t place = find(envelope);
    if (places_[place].first == none || places_[place].messages) return false;
    std::uint32_t before = none;
    std::uint32_t link = places_[place].first;
    while (link != none && links_[link].item != receive) before = std::exchange(link, links_[link].next);
    if (link == none) return false;
    if (before == none) {
        links_.release(pop_first(place));
        return true;
    }
    links_[before].next = links_[link].next;
    if (places_[place].last == link) places_[place].last = before;
    links_.release(link);
    return true;
}

}  // namespace linkworth::replay
