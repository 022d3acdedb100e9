// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/event_queue.hpp"

#include <algorithm>
#include <utility>

#include "calls/pool.hpp"

namespace linkworth::replay {

/// The first `count` entries from `index` on. Returns their last block.
template <typename Visitor>
inline std::uint32_t EventQueue::walk(std::uint32_t index, std::uint32_t count, Visitor visit) const {
    for (;;) {
        const std::uint32_t together = std::min(count, left_in_block(index));
        const std::uint32_t block = block_of(index);
        count -= together;
        if (count > 0) prefetch_block(entries_[block].next_block);
        const Entry* const begin = entries_.data() + index;
        for (const Entry* entry = begin; entry != begin + together; ++entry) visit(*entry);
        if (count == 0) return block;
        index = entries_[block].next_block;
    }
}

/// Fetches until enough is known, or all there is.
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

/// Takes the first stretch of a rung, or divides it. Returns false if the rung is empty.
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
    std::uint32_t taken = list.size;
    if (taken == 0) return;
    // The remaining entries must start with a block.
    if (taken > most_sorted) taken = block_of(list.head + most_sorted) - list.head;
    if (end_ + taken > most_near * 2) move_to_front();
    const Entry* const first = near_.data() + first_;
    Entry* end = near_.data() + end_;
    const std::uint32_t last_block = walk(list.head, taken, [&](const Entry& entry) {
        Entry* place = end++;
        for (; place > first && entry.time < place[-1].time; --place) *place = place[-1];
        place->time = entry.time;
        place->item = entry.item;
    });
    end->time = never;
    end_ += taken;
    list.size -= taken;
    const std::uint32_t following = std::exchange(entries_[last_block].next_block, free_);
    free_ = block_of(std::exchange(list.head, following));
    if (list.size == 0)
        list.tail = nothing;
    else
        prefetch_block(list.head);
}

/// Empties a list into a new rung, which ends at `end` at the latest. The rung is longer than the list, to
/// have room for later pushes.
void EventQueue::divide(List& list, std::uint64_t end) {
    std::uint64_t first = entries_[list.head].time;
    std::uint64_t last = first;
    walk(list.head, list.size, [&](const Entry& entry) {
        first = std::min(first, entry.time);
        last = std::max(last, entry.time);
    });
    const List divided = std::exchange(list, List{});
    if (first == last) {
        add_rung(first, end, 0).list_for(first) = divided;
        return;
    }
    const std::uint32_t bits = std::min(static_cast<std::uint32_t>(std::bit_width(last - first)) + 1, 63U);
    Rung& rung = add_rung(first, end, bits > stretch_bits ? bits - stretch_bits : 0);
    std::uint32_t index = divided.head;
    for (std::uint32_t left = divided.size; left > 0;) {
        const std::uint32_t together = std::min(left, left_in_block(index));
        left -= together;
        for (const std::uint32_t end_of_these = index + together; index != end_of_these; ++index) {
            const std::uint64_t time = entries_[index].time;
            append(rung.list_for(time), time, entries_[index].item);
        }
        // Reuse this block next, while it is still in the cache.
        const std::uint32_t block = block_of(index - 1);
        index = std::exchange(entries_[block].next_block, std::exchange(free_, block));
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

/// Moves the later half of the near happenings into the lists, before entries of the same times there.
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
        prepend(list_for(moved.time), moved.time, moved.item);
    }
    near_[end_].time = never;
}

void EventQueue::prefetch_block(std::uint32_t block) const {
    prefetch_lines(&entries_[block], block_entries * sizeof(Entry));
}

void EventQueue::prepend(List& list, std::uint64_t time, std::uint32_t item) {
    if (list.size == 0) return append(list, time, item);
    if (begins_block(list.head)) {
        const std::uint32_t block = take_block();
        entries_[block].next_block = list.head;
        list.head = block + block_entries;
    }
    set(--list.head, time, item);
    ++list.size;
}

/// Doubles the number of blocks.
void EventQueue::add_blocks() {
    const auto begin = static_cast<std::uint32_t>(entries_.size());
    entries_.resize(std::max(entries_.size() * 2, least_entries));
    for (auto block = static_cast<std::uint32_t>(entries_.size()); block > begin;) {
        block -= block_entries;
        entries_[block].next_block = std::exchange(free_, block);
    }
}

}  // namespace linkworth::replay
