// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/event_queue.hpp"

#include <algorithm>
#include <utility>

namespace linkworth::replay {

/// Until enough is known, or all there is.
void EventQueue::fetch() {
    while (known() < look_ahead) {
        if (rung_count_ > 0) {
            if (!fetch_from(rungs_[rung_count_ - 1])) --rung_count_;
        } else if (further_.size > most_sorted) {
            divide(further_, std::numeric_limits<std::uint64_t>::max());
        } else {
            if (further_.size == 0) return;
            take(further_);
            near_end_ = near_[end_ - 1].time + 1;
        }
    }
}

/// Takes the first stretch of a rung, or divides it. False where the rung is empty.
bool EventQueue::fetch_from(Rung& rung) {
    if (rung.used == 0) return false;
    const auto stretch = static_cast<std::uint32_t>(std::countr_zero(rung.used));
    List& list = rung.lists[stretch];
    const std::uint64_t begin = rung.begin + (std::uint64_t{stretch} << rung.shift);
    const std::uint64_t end = std::min(begin + (std::uint64_t{1} << rung.shift), rung.end);
    const bool divided = list.size > most_sorted && rung.shift > 0;
    if (!divided) {
        take(list);
        if (list.size > 0) {
            // All of one time: those that follow may stay behind.
            near_end_ = begin;
            return true;
        }
        near_end_ = end;
    }
    rung.used &= rung.used - 1;
    if (divided) divide(list, end);
    return true;
}

void EventQueue::take(List& list) {
    const std::uint32_t taken = std::min(list.size, most_sorted);
    if (taken == 0) return;
    if (end_ + taken > most_near * 2) move_to_front();
    const Entry* const first = near_.data() + first_;
    Entry* end = near_.data() + end_;
    Entry* last = nullptr;
    std::uint32_t index = list.head;
    for (std::uint32_t left = taken; left > 0; --left) {
        last = &entries_[index];
        Entry* place = end++;
        for (; place > first && last->time < place[-1].time; --place) *place = place[-1];
        place->time = last->time;
        place->item = last->item;
        index = last->next;
    }
    end->time = never;
    end_ += taken;
    list.size -= taken;
    last->next = std::exchange(free_, std::exchange(list.head, index));
}

/// Empties a list into a new rung, which ends at `end` at the latest. The rung is longer than the list, for
/// what is pushed while it lasts.
void EventQueue::divide(List& list, std::uint64_t end) {
    std::uint64_t first = entries_[list.head].time;
    std::uint64_t last = first;
    for (std::uint32_t index = list.head; index != nothing; index = entries_[index].next) {
        first = std::min(first, entries_[index].time);
        last = std::max(last, entries_[index].time);
    }
    const List divided = std::exchange(list, List{});
    if (first == last) {
        add_rung(first, end, 0).list_for(first) = divided;
        return;
    }
    const std::uint32_t bits = std::min(static_cast<std::uint32_t>(std::bit_width(last - first)) + 1, 63U);
    Rung& rung = add_rung(first, end, bits > stretch_bits ? bits - stretch_bits : 0);
    for (std::uint32_t index = divided.head; index != nothing;) {
        const std::uint32_t following = std::exchange(entries_[index].next, nothing);
        join(rung.list_for(entries_[index].time), index);
        index = following;
    }
}

EventQueue::Rung& EventQueue::add_rung(std::uint64_t begin, std::uint64_t end, std::uint32_t shift) {
    if (rung_count_ == rungs_.size()) rungs_.emplace_back();
    Rung& rung = rungs_[rung_count_++];
    rung.begin = begin;
    rung.end = std::min(begin + (std::uint64_t{stretches} << shift), end);
    rung.shift = shift;
    return rung;
}

/// Puts the later half of what is near into the lists, before what these have of the same times.
void EventQueue::send_away() {
    const std::uint32_t kept = first_ + most_near / 2;
    const std::uint64_t begin = near_[kept].time;
    if (begin < near_end_) {
        const auto bits = static_cast<std::uint32_t>(std::bit_width(near_end_ - begin));
        add_rung(begin, near_end_, bits > stretch_bits ? bits - stretch_bits : 0);
    }
    near_end_ = begin;
    while (end_ > kept) {
        const Entry& moved = near_[--end_];
        const std::uint32_t index = entry_for(moved.time, moved.item);
        List& list = list_for(moved.time);
        if (list.size++ == 0) {
            list.tail = index;
        } else {
            entries_[index].next = list.head;
        }
        list.head = index;
    }
    near_[end_].time = never;
}

}  // namespace linkworth::replay
