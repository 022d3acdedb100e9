// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Partitioned messages across ranks: which send meets which receive, and how far each round has come.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "calls/communicators.hpp"
#include "calls/pool.hpp"
#include "replay/stamp.hpp"

namespace linkworth::replay {

/// An MPI_Parrived that returned true: partition `part` of `of`, counted by the receiver.
struct PartWaiter {
    std::uint64_t part = 0;
    std::uint64_t of = 1;
    std::uint32_t operation = none;
};

/// One use of a pair of partitioned requests, from both MPI_Start on. A *unit* is the data of one message: a
/// partition of the sender, or all of them.
struct Round {
    std::vector<bool> ready;  ///< by partition of the sender
    std::uint32_t ready_count = 0;
    std::vector<std::uint32_t> leaving;  ///< operations that end when a unit's data has left
    std::vector<std::uint32_t> waiting;  ///< accesses of units that wait for the receiver
    std::vector<bool> arrived;           ///< by unit; empty before the first one
    std::vector<Stamp> arrivals;
    std::uint32_t arrived_count = 0;
    std::vector<PartWaiter> waiters;
    Stamp clear_to_send;        ///< at the sender
    Stamp started_at;           ///< by the receiver
    Stamp waited_at;            ///< since when it waits for all
    std::uint32_t done = none;  ///< the operation that it then waits for
    bool receiver_started = false;
    bool receiver_ended = false;
};

/// A pair of MPI_Psend_init and MPI_Precv_init.
struct Channel {
    std::uint32_t sender = none;  ///< ranks of the simulation
    std::uint32_t receiver = none;
    std::uint32_t partitions = 0;  ///< of the sender
    std::uint64_t bytes = 0;       ///< of one
    bool whole = false;            ///< all partitions go as one unit
    std::uint64_t sends = 0;       ///< rounds that each side has started
    std::uint64_t receives = 0;

    std::uint32_t units() const { return whole ? 1 : partitions; }
    std::uint64_t unit_bytes() const { return whole ? bytes * partitions : bytes; }
    Round& round(std::uint64_t number) {
        if (number < first_) throw std::logic_error("a round of a partitioned message that is over");
        while (number - first_ >= rounds_.size()) rounds_.emplace_back();
        return rounds_[number - first_];
    }
    /// Returns whether the sender has started the round and has not made the partition ready.
    bool lacks(std::uint64_t number, std::uint32_t partition) const {
        if (number < first_ || number - first_ >= rounds_.size()) return false;
        const std::vector<bool>& ready = rounds_[number - first_].ready;
        return partition < ready.size() && !ready[partition];
    }
    /// Forgets the rounds that both sides are through with.
    void trim() {
        while (!rounds_.empty() && rounds_.front().receiver_ended && first_ + 1 < sends &&
               first_ + 1 < receives) {
            rounds_.pop_front();
            ++first_;
        }
    }

  private:
    std::deque<Round> rounds_;
    std::uint64_t first_ = 0;
};

/// The k-th send between two ranks with a tag on a communicator meets the k-th such receive (MPI-4.1, 4.2).
class Channels {
  public:
    /// `source` and `destination` are ranks of the communicator.
    Channel& join(const Communicator* on, std::uint32_t source, std::uint32_t destination, std::int32_t tag,
                  bool sends) {
        Line& line = lines_[{on, source, destination, tag}];
        const std::size_t ordinal = sends ? line.sends++ : line.receives++;
        while (line.channels.size() <= ordinal) line.channels.push_back(std::make_unique<Channel>());
        return *line.channels[ordinal];
    }

  private:
    struct Line {
        std::vector<std::unique_ptr<Channel>> channels;
        std::size_t sends = 0;
        std::size_t receives = 0;
    };
    std::map<std::tuple<const Communicator*, std::uint32_t, std::uint32_t, std::int32_t>, Line> lines_;
};

}  // namespace linkworth::replay
