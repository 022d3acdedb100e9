// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The queue of simulated happenings, in time order; equal times keep the order in which they were pushed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

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
};

/// What `pop` gives.
struct Due {
    Happening what;
    std::uint32_t index;
};

/// What is due next stands in a short sorted ring, so that one may look ahead and fetch from memory what it
/// needs; the rest in a four-ary heap, which is shallower than a binary one, and the children of a place
/// share a cache line or two.
class EventQueue {
  public:
    /// So many happenings ahead are known, as far as there are any.
    static constexpr std::uint32_t look_ahead = 8;

    /// `first_order`: the number of the first push, for tests.
    explicit EventQueue(std::uint32_t first_order = 0) : order_(first_order) {}

    bool empty() const { return size_ == 0; }
    double next_seconds() const {
        return size_ == 0 ? std::numeric_limits<double>::infinity()
                          : std::bit_cast<double>(ring_[first_].time);
    }

    /// `seconds` is not negative, `index` below 2^29.
    void push(double seconds, Happening what, std::uint32_t index) {
        if (order_ > last_order) [[unlikely]]
            renumber();
        // The sum turns -0 into 0.
        const Entry entry{std::bit_cast<std::uint64_t>(seconds + 0.0),
                          order_++ << 32U | static_cast<std::uint64_t>(what) << index_bits | index};
        if (size_ < look_ahead) {
            ++size_;
        } else {
            const Entry& last = at(look_ahead - 1);
            if (!before(entry, last)) return push_heap(entry);
            push_heap(last);
        }
        std::uint32_t place = size_ - 1;
        for (; place > 0 && before(entry, at(place - 1)); --place) at(place) = at(place - 1);
        at(place) = entry;
    }

    /// What is due after `ahead` others, unless something earlier comes; `ahead` is less than `known`.
    Due next(std::uint32_t ahead) const { return due(ring_[(first_ + ahead) % look_ahead]); }
    /// How many happenings can be looked at: as many as there are, up to `look_ahead`.
    std::uint32_t known() const { return size_; }

    /// The queue is not empty.
    Due pop() {
        const Due top = due(ring_[first_]);
        first_ = (first_ + 1) % look_ahead;
        if (heap_.empty()) {
            --size_;
        } else {
            at(size_ - 1) = pop_heap();
        }
        return top;
    }

  private:
    static constexpr std::size_t fan_out = 4;
    static constexpr unsigned index_bits = 29;
    static constexpr std::uint64_t last_order = 0xffffffffU;

    /// Two words that compare as (time, order): the bits of doubles that are not negative rise with them.
    struct Entry {
        std::uint64_t time;
        std::uint64_t order_and_item;
    };

    static Due due(const Entry& entry) {
        const auto item = static_cast<std::uint32_t>(entry.order_and_item);
        return {static_cast<Happening>(item >> index_bits), item & ((1U << index_bits) - 1)};
    }

    static bool before(const Entry& a, const Entry& b) {
        __extension__ using Whole = unsigned __int128;
        return (Whole{a.time} << 64U | a.order_and_item) < (Whole{b.time} << 64U | b.order_and_item);
    }

    Entry& at(std::uint32_t place) { return ring_[(first_ + place) % look_ahead]; }

    void push_heap(const Entry& entry) {
        std::size_t hole = heap_.size();
        heap_.push_back(entry);
        while (hole > 0) {
            const std::size_t parent = (hole - 1) / fan_out;
            if (!before(entry, heap_[parent])) break;
            heap_[hole] = heap_[parent];
            hole = parent;
        }
        heap_[hole] = entry;
    }

    Entry pop_heap() {
        const Entry top = heap_.front();
        const Entry moved = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) sift_down(moved);
        return top;
    }

    void sift_down(const Entry& moved) {
        Entry* const heap = heap_.data();
        const std::size_t size = heap_.size();
        std::size_t hole = 0;
        std::size_t first = 1;
        for (; first + fan_out <= size; first = hole * fan_out + 1) {
            const std::size_t left = first + (before(heap[first + 1], heap[first]) ? 1 : 0);
            const std::size_t right = first + 2 + (before(heap[first + 3], heap[first + 2]) ? 1 : 0);
            const std::size_t least = before(heap[right], heap[left]) ? right : left;
            if (!before(heap[least], moved)) break;
            heap[hole] = heap[least];
            hole = least;
        }
        if (first < size && first + fan_out > size) {
            std::size_t least = first;
            for (std::size_t child = first + 1; child < size; ++child)
                if (before(heap[child], heap[least])) least = child;
            if (before(heap[least], moved)) {
                heap[hole] = heap[least];
                hole = least;
            }
        }
        heap[hole] = moved;
    }

    /// Begins anew with the orders, which have 32 bits. A sorted array is a heap.
    void renumber() {
        std::sort(heap_.begin(), heap_.end(), before);
        order_ = 0;
        const auto number = [this](Entry& entry) {
            entry.order_and_item = order_++ << 32U | static_cast<std::uint32_t>(entry.order_and_item);
        };
        for (std::uint32_t place = 0; place < size_; ++place) number(at(place));
        std::ranges::for_each(heap_, number);
    }

    std::array<Entry, look_ahead> ring_ = {};
    std::uint32_t first_ = 0;
    std::uint32_t size_ = 0;  ///< of the ring; it is full where the heap holds anything
    std::vector<Entry> heap_;
    std::uint64_t order_;
};

}  // namespace linkworth::replay
