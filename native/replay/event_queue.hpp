// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The queue of simulated happenings, in time order; equal times keep the order in which they were pushed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "calls/large_pages.hpp"
#include "replay/sensible.hpp"

namespace linkworth::replay {

enum class Happening : std::uint32_t {
    resume,    ///< an actor goes on
    envelope,  ///< a request to send, or a message inside a node, reaches its receiver
    answer,    ///< a request to send may be answered
    transfer,  ///< the data of a rendezvous may leave
    whole,     ///< a message of one chunk reaches the other node
    parcel,    ///< a chunk reaches the next switch or the other node
    access,    ///< something reaches a rank that makes no call for it
    port,      ///< a NIC is free for the next chunk
    computes,  ///< a rank of a shared node begins to compute
    computed,  ///< and may be at the end of it
};

/// Happening that `pop` returns.
struct Due {
    Happening what;
    std::uint32_t index;
};

/// A ladder queue (Tang, Goh, Thng, "Ladder queue: an O(1) priority queue structure for large-scale discrete
/// event simulation", ACM TOMACS 2005), whose steps do not grow with the number of entries. Near happenings
/// are sorted, so that their memory can be prefetched. Those that follow are in *rungs* of equal stretches of
/// time. Each rung is finer than the one before and inside one stretch of it. All later ones are unordered.
/// When little is near, the next stretch is sorted, or divided into a further rung.
class EventQueue {
  public:
    /// So many happenings ahead are known, as far as there are any.
    static constexpr std::uint32_t look_ahead = 8;
    static constexpr unsigned index_bits = 28;

    bool empty() const { return first_ == end_; }
    double next_seconds() const { return std::bit_cast<double>(near_[first_].time); }

    /// `index` fits `index_bits`. Also times that have passed may be pushed. Throws ReplayError for a time
    /// that is negative, infinite or no number: the lists have no place for it.
    void push(double seconds, Happening what, std::uint32_t index) {
        // The bits of doubles that are not negative rise with them. The sum turns -0 into 0.
        const auto time = std::bit_cast<std::uint64_t>(seconds + 0.0);
        if (time >= never) [[unlikely]]
            refuse_infinite_time();
        const std::uint32_t item = static_cast<std::uint32_t>(what) << index_bits | index;
        if (time >= near_end_) {
            if (known() >= look_ahead) return append(time, item);
            near_end_ = time + 1;  // nothing waits further away
        }
        insert(time, item);
        if (known() == most_near) [[unlikely]]
            send_away();
    }

    /// Returns the happening after `ahead` others, unless something earlier comes. `ahead` is less than
    /// `known`.
    Due next(std::uint32_t ahead) const { return due(near_[first_ + ahead]); }
    /// Number of happenings that `next` can return: all there are, or at least `look_ahead`.
    std::uint32_t known() const { return end_ - first_; }

    /// The queue is not empty.
    Due pop() {
        const Due top = due(near_[first_++]);
        if (known() < look_ahead && (rung_count_ | further_.size) != 0) fetch();
        return top;
    }

  private:
    /// Equal times keep the order of their pushing: all in one list, or the first near and the others in one
    /// list.
    struct Entry {
        std::uint64_t time = 0;
        std::uint32_t item = 0;
        std::uint32_t next_block = nothing;  ///< of a block's first entry: where its list goes on
    };
    /// Entries are in blocks of some lines of the cache, so that a walk through a list waits for memory at
    /// most once a block, and not once an entry. All blocks but the first are filled from their beginning,
    /// all but the last to their end.
    struct List {
        std::uint32_t head = nothing;  ///< entries
        std::uint32_t tail = nothing;  ///< `nothing` of an empty list
        std::uint32_t size = 0;
    };
    static constexpr std::uint32_t block_entries = 16;
    static constexpr std::size_t least_entries = 256;
    static std::uint32_t block_of(std::uint32_t entry) { return entry & ~(block_entries - 1); }
    static std::uint32_t left_in_block(std::uint32_t entry) {
        return block_entries - (entry & (block_entries - 1));
    }
    static bool begins_block(std::uint32_t entry) { return (entry & (block_entries - 1)) == 0; }

    static constexpr std::uint32_t stretch_bits = 6;
    static constexpr std::uint32_t stretches = 1U << stretch_bits;
    struct Rung {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint32_t shift = 0;  ///< a stretch is two to this long
        std::uint64_t used = 0;   ///< bits: which stretches have anything
        std::array<List, stretches> lists = {};

        List& list_for(std::uint64_t time) {
            const std::uint64_t stretch = (time - begin) >> shift;
            used |= std::uint64_t{1} << stretch;
            return lists[stretch];
        }
    };

    static constexpr std::uint32_t nothing = 0xffffffffU;
    static constexpr std::uint64_t never =
        std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
    static constexpr std::uint32_t most_near = 64;
    /// Sorted at once; more are divided further.
    static constexpr std::uint32_t most_sorted = 20;

    static Due due(const Entry& entry) {
        return {static_cast<Happening>(entry.item >> index_bits), entry.item & ((1U << index_bits) - 1)};
    }

    void insert(std::uint64_t time, std::uint32_t item) {
        if (end_ == most_near * 2) [[unlikely]]
            move_to_front();
        Entry* place = near_.data() + end_++;
        for (const Entry* const first = near_.data() + first_; place > first && time < place[-1].time;
             --place)
            *place = place[-1];
        *place = {time, item, nothing};
        near_[end_].time = never;
    }

    void move_to_front() {
        std::copy(near_.begin() + first_, near_.begin() + end_, near_.begin());
        end_ -= std::exchange(first_, 0);
    }

    List& list_for(std::uint64_t time) {
        Rung* const coarsest = rungs_.data();
        for (Rung* rung = coarsest + rung_count_; rung != coarsest;)
            if (time < (--rung)->end) return rung->list_for(time);
        return further_;
    }

    std::uint32_t take_block() {
        if (free_ == nothing) [[unlikely]]
            add_blocks();
        return std::exchange(free_, entries_[free_].next_block);
    }

    void set(std::uint32_t entry, std::uint64_t time, std::uint32_t item) {
        entries_[entry].time = time;
        entries_[entry].item = item;
    }

    void append(List& list, std::uint64_t time, std::uint32_t item) {
        std::uint32_t entry = list.tail + 1;
        if (begins_block(entry)) {  // also after `nothing`
            entry = take_block();
            (list.size == 0 ? list.head : entries_[block_of(list.tail)].next_block) = entry;
        }
        list.tail = entry;
        ++list.size;
        set(entry, time, item);
    }

    void append(std::uint64_t time, std::uint32_t item) { append(list_for(time), time, item); }

    template <typename Visitor>
    std::uint32_t walk(std::uint32_t index, std::uint32_t count, Visitor visit) const;
    void prefetch_block(std::uint32_t block) const;
    void prepend(List& list, std::uint64_t time, std::uint32_t item);
    void add_blocks();
    void fetch();
    bool fetch_from(Rung& rung);
    void take(List& list);
    void divide(List& list, std::uint64_t end);
    Rung& add_rung(std::uint64_t begin, std::uint64_t end, std::uint32_t shift);
    void send_away();

    std::array<Entry, std::size_t{2} * most_near + 1> near_ = {
        {{never, 0, nothing}}};   ///< and `never` behind them
    std::uint32_t first_ = 0;     ///< of those that are near
    std::uint32_t end_ = 0;       ///< of these
    std::uint64_t near_end_ = 0;  ///< time; earlier happenings are near
    std::uint32_t rung_count_ = 0;
    std::uint32_t free_ = nothing;  ///< first of the blocks that no list has
    List further_;
    LargeVector<Entry> entries_;
    std::vector<Rung> rungs_;  ///< the first `rung_count_` of them; the last one comes first in time
};

}  // namespace linkworth::replay
