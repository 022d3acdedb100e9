// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Sharing of a node's cores and memory among ranks that compute at the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/settings.hpp"

namespace linkworth::replay {

/// Processor sharing: if a resource is short, all computing ranks of a node run at the same share of the
/// speed that each has alone. That share changes whenever one begins or ends. A node counts the seconds that
/// a rank which always computes would have done. Counted that way, a rank's end never changes.
class SharedNodes {
  public:
    /// End of the first of a node's ranks, unless another begins before. An end with an outdated version is
    /// ignored.
    struct FirstEnd {
        double seconds = 0;
        std::uint32_t node = 0;
        std::uint32_t version = 0;
    };

    SharedNodes(const ReplaySettings& settings, std::size_t nodes, std::size_t ranks)
        : memory_bytes_per_second_(settings.memory_bandwidth_bytes_per_second.value_or(no_limit)),
          cores_(settings.cores_per_node.value_or(no_limit)),
          thread_gain_(settings.thread_gain),
          nodes_(nodes),
          alone_seconds_(ranks) {}

    /// Returns whether so many ranks on a node can exhaust its memory bandwidth or its cores.
    static bool matter(const ReplaySettings& settings, std::uint32_t ranks) {
        return ranks * settings.memory_demand_bytes_per_second >
                   settings.memory_bandwidth_bytes_per_second.value_or(no_limit) ||
               ranks > settings.cores_per_node.value_or(no_limit);
    }

    /// A rank will begin `alone_seconds` of computation.
    void put_off(std::uint32_t rank, double alone_seconds) { alone_seconds_[rank] = alone_seconds; }
    /// The rank begins them, with a demand of `demand` bytes of memory traffic a second.
    FirstEnd begin(std::uint32_t node, std::uint32_t rank, double demand, double now);

    bool is_current(const FirstEnd& end) const { return nodes_[end.node].version == end.version; }
    /// The rank whose computation is at its end; `end` is current.
    std::uint32_t end_first(const FirstEnd& end);
    bool any_computes(std::uint32_t node) const { return !nodes_[node].ranks.empty(); }
    /// The node has ranks that compute.
    FirstEnd first_end(std::uint32_t node) const;

  private:
    struct Computing {
        double ends = 0;  ///< in the node's count
        double demand = 0;
        std::uint32_t rank = 0;

        bool operator>(const Computing& other) const {
            return ends > other.ends || (ends == other.ends && rank > other.rank);
        }
    };
    struct Node {
        double done = 0;   ///< its count,
        double at = 0;     ///< at this moment
        double speed = 1;  ///< share of the speed that each rank has alone
        std::uint32_t version = 0;
        std::vector<Computing> ranks;  ///< a heap, the first to end on top
    };

    void changed(Node& node);
    double speed(double demand, std::size_t ranks) const;

    double memory_bytes_per_second_;
    double cores_;
    double thread_gain_;
    std::vector<Node> nodes_;
    std::vector<double> alone_seconds_;  ///< [rank]
};

}  // namespace linkworth::replay
