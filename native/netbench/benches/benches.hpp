// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "../bench.hpp"
#include "../members.hpp"

namespace linkworth::netbench {

/// A test by its name on the command line.
struct Test {
    std::string_view name;
    Team team;
    bool needs_sizes;
    void (*run)(Bench&);  ///< called on the members only
};

void run_latency(Bench& bench);
void run_pingpong(Bench& bench);
void run_bandwidth(Bench& bench);
void run_bibandwidth(Bench& bench);
void run_multipair(Bench& bench);
void run_incast(Bench& bench);
void run_overlap(Bench& bench);
void run_beff(Bench& bench);
void run_hpcc(Bench& bench);
void run_alltoall(Bench& bench);
void run_allreduce(Bench& bench);
void run_bcast(Bench& bench);
void run_allgather(Bench& bench);
void run_barrier(Bench& bench);

std::span<const Test> tests();

}  // namespace linkworth::netbench
