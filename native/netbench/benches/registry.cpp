// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <array>

#include "benches.hpp"

namespace linkworth::netbench {

std::span<const Test> tests() {
    static constexpr std::array kTests{
        Test{"latency", Team::pair, true, run_latency, "half a round trip of one message"},
        Test{"bandwidth", Team::pair, true, run_bandwidth, "a window of messages one way, then an answer"},
        Test{"bibandwidth", Team::pair, true, run_bibandwidth, "windows of messages both ways at once"},
        Test{"pingpong", Team::two_sides, true, run_pingpong, "ping-pong; --async, --bidirectional, --pairs"},
        Test{"multipair", Team::two_sides, true, run_multipair, "windows of 1, 2, 4, ... pairs at once"},
        Test{"incast", Team::any, true, run_incast, "1, 2, 4, ... ranks send to the first at once"},
        Test{"overlap", Team::pair, true, run_overlap, "share of a transfer that computation hides"},
        Test{"beff", Team::any, false, run_beff, "effective bandwidth b_eff of rings and random patterns"},
        Test{"hpcc", Team::any, false, run_hpcc, "HPC Challenge's ping-pongs and rings"},
        Test{"alltoall", Team::any, true, run_alltoall, "size: from each rank to each other"},
        Test{"allreduce", Team::any, true, run_allreduce, "size: the vector of each rank"},
        Test{"bcast", Team::any, true, run_bcast, "size: the message of the first rank"},
        Test{"allgather", Team::any, true, run_allgather, "size: what each rank gives"},
        Test{"barrier", Team::any, false, run_barrier, "no size"},
    };
    return kTests;
}

}  // namespace linkworth::netbench
