// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <array>

#include "benches.hpp"

namespace linkworth::netbench {

std::span<const Test> tests() {
    static constexpr std::array kTests{
        Test{"latency", Team::pair, true, run_latency},
        Test{"bandwidth", Team::pair, true, run_bandwidth},
        Test{"bibandwidth", Team::pair, true, run_bibandwidth},
        Test{"pingpong", Team::two_sides, true, run_pingpong},
        Test{"multipair", Team::two_sides, true, run_multipair},
        Test{"incast", Team::any, true, run_incast},
        Test{"overlap", Team::pair, true, run_overlap},
        Test{"beff", Team::any, false, run_beff},
        Test{"hpcc", Team::any, false, run_hpcc},
        Test{"alltoall", Team::any, true, run_alltoall},
        Test{"allreduce", Team::any, true, run_allreduce},
        Test{"bcast", Team::any, true, run_bcast},
        Test{"allgather", Team::any, true, run_allgather},
        Test{"barrier", Team::any, false, run_barrier},
    };
    return kTests;
}

}  // namespace linkworth::netbench
