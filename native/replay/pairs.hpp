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
    void begin(std::uint64_t connection) { ++under_way_[connection]; }
    void end(std::uint64_t connection) {
        const auto found = under_way_.find(connection);
        if (--found->second == 0) under_way_.erase(found);
    }

    /// Delays a chunk whose first byte comes at `head`, until its pair has carried what came before.
    void pass(std::uint64_t connection, double wire_bytes, const Stamp& head, Stamp& in_memory) {
        const std::uint64_t back = connection % ranks_ * ranks_ + connection / ranks_;
        Stamp& free = free_[connection < back ? connection : back];
        const bool in_turn = free.seconds > head.seconds || (has_several(connection) && has_several(back));
        if (!in_turn) return;
        free.raise_to(head);
        free.add_bandwidth(wire_bytes / bytes_per_second_, false);
        in_memory.raise_to(free);
    }

  private:
    bool has_several(std::uint64_t connection) const {
        const auto found = under_way_.find(connection);
        return found != under_way_.end() && found->second > 1;
    }

    std::uint64_t ranks_;
    double bytes_per_second_;
    std::uint64_t least_bytes_;
    std::unordered_map<std::uint64_t, std::uint32_t> under_way_;  ///< messages, by connection
    std::unordered_map<std::uint64_t, Stamp> free_;               ///< by connection from the lower rank
};

}  // namespace linkworth::replay
