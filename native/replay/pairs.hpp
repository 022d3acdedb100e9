// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Limit of what two ranks carry between them over TCP while both send the other several long messages.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "replay/fabric.hpp"
#include "replay/stamp.hpp"

namespace linkworth::replay {

/// An MPI that answers requests to send on the connection of its data answers behind that data. With windows
/// of messages both ways, the directions take turns then. Who begins depends on microseconds, so the replay
/// gives both directions together the rate that the turns have. Other pairs can use the rest of the NIC.
///
/// After a pause the sockets are empty, and both ranks answer before their data begins: the next window fills
/// both directions.
class Pairs {
  public:
    /// `ranks`: connection c is from rank c / ranks to rank c % ranks. `rails`: that carry its long messages.
    Pairs(const Tcp& tcp, std::uint64_t ranks, double rails)
        : ranks_(ranks),
          bytes_per_second_(tcp.pair_bytes_per_second * rails),
          least_bytes_(matter() ? std::max<std::uint64_t>(tcp.pair_from_bytes, 1)
                                : std::numeric_limits<std::uint64_t>::max()) {}

    bool matter() const { return std::isfinite(bytes_per_second_); }
    /// Requests and answers, which have no data, never count.
    bool count(std::uint64_t bytes) const { return bytes >= least_bytes_; }

    /// The data of a message that counts begins, and its last byte comes to the receiver's NIC.
    void begin(std::uint64_t connection, double seconds) {
        Pair& pair = pair_of(connection);
        if (pair.under_way[0] + pair.under_way[1] == 0) pair.fills_both = seconds - pair.end > kPause;
        ++pair.under_way[is_back(connection)];
    }
    void end(std::uint64_t connection, double seconds) {
        Pair& pair = pair_of(connection);
        --pair.under_way[is_back(connection)];
        pair.end = seconds;
    }

    /// Delays a chunk whose first byte comes at `head`, until its pair has carried what came before.
    void pass(std::uint64_t connection, double wire_bytes, const Stamp& head, Stamp& in_memory) {
        Pair& pair = pair_of(connection);
        const bool both_have_several = pair.under_way[0] > 1 && pair.under_way[1] > 1;
        if (pair.free.seconds <= head.seconds && (pair.fills_both || !both_have_several)) return;
        pair.free.raise_to(head);
        pair.free.add_bandwidth(wire_bytes / bytes_per_second_, false);
        in_memory.raise_to(pair.free);
    }

  private:
    /// Seconds between windows after which the next fills both directions. Measured in the lab with Open
    /// MPI 4.1.4, 2026-12-01 (benchmarks/lab/bench_both_ways.py --between): none did up to 0.5 ms, all from
    /// 20 ms on.
    static constexpr double kPause = 2e-3;

    struct Pair {
        Stamp free;
        std::uint32_t under_way[2] = {0, 0};  ///< messages, by direction
        bool fills_both = false;
        /// When data last came. The first window counts as one of many, as in benchmarks.
        double end = std::numeric_limits<double>::infinity();
    };

    std::uint64_t back(std::uint64_t connection) const {
        return connection % ranks_ * ranks_ + connection / ranks_;
    }
    bool is_back(std::uint64_t connection) const { return back(connection) < connection; }
    Pair& pair_of(std::uint64_t connection) { return pairs_[std::min(connection, back(connection))]; }

    std::uint64_t ranks_;
    double bytes_per_second_;
    std::uint64_t least_bytes_;
    std::unordered_map<std::uint64_t, Pair> pairs_;  ///< by connection from the lower rank
};

}  // namespace linkworth::replay
