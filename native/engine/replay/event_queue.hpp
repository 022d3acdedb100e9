// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The queue of simulated happenings, in time order; equal times keep the order in which they were pushed.
#pragma once

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

struct QueueEntry {
    double seconds;
    std::uint64_t order;
    Happening what;
    std::uint32_t index;
};

/// A four-ary heap: shallower than a binary one, and the children of a place share a cache line or two.
class EventQueue {
  public:
    bool empty() const { return heap_.empty(); }
    double next_seconds() const {
        return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().seconds;
    }

    void push(double seconds, Happening what, std::uint32_t index) {
        const QueueEntry entry{seconds, order_++, what, index};
        heap_.push_back(entry);
        std::size_t hole = heap_.size() - 1;
        while (hole > 0) {
            const std::size_t parent = (hole - 1) / fan_out;
            if (!before(entry, heap_[parent])) break;
            heap_[hole] = heap_[parent];
            hole = parent;
        }
        heap_[hole] = entry;
    }

    QueueEntry pop() {
        const QueueEntry top = heap_.front();
        const QueueEntry moved = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) sift_down(moved);
        return top;
    }

  private:
    static constexpr std::size_t fan_out = 4;

    static bool before(const QueueEntry& a, const QueueEntry& b) {
        return a.seconds < b.seconds || (a.seconds == b.seconds && a.order < b.order);
    }

    void sift_down(const QueueEntry& moved) {
        std::size_t hole = 0;
        const std::size_t size = heap_.size();
        for (;;) {
            const std::size_t first = hole * fan_out + 1;
            if (first >= size) break;
            std::size_t least = first;
            const std::size_t last = first + fan_out < size ? first + fan_out : size;
            for (std::size_t child = first + 1; child < last; ++child)
                if (before(heap_[child], heap_[least])) least = child;
            if (!before(heap_[least], moved)) break;
            heap_[hole] = heap_[least];
            hole = least;
        }
        heap_[hole] = moved;
    }

    std::vector<QueueEntry> heap_;
    std::uint64_t order_ = 0;
};

}  // namespace linkworth::replay
