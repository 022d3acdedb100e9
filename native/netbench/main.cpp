// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <thread>

#include "benches/benches.hpp"
#include "json.hpp"

namespace {

using namespace linkworth::netbench;

enum ExitCode { kFine = 0, kUsage = 2, kEnvironment = 3 };

const Test& find_test(const Settings& settings) {
    for (const Test& test : tests()) {
        if (test.name != settings.test) continue;
        if (test.needs_sizes && settings.sizes.empty()) throw UsageError("give --sizes for " + settings.test);
        return test;
    }
    throw UsageError("unknown test " + settings.test);
}

Team team_of(const Test& test, const Settings& settings) {
    const bool one_pair = test.name == "pingpong" && !settings.pairs;
    return one_pair ? Team::pair : test.team;
}

std::string start_line(const Group& world, const std::vector<int>& members, const Settings& settings) {
    std::string names, nodes, ranks;
    for (const std::string& name : world.node_names) names += (names.empty() ? "" : ",") + quoted(name);
    for (const int node : world.nodes) nodes += (nodes.empty() ? "" : ",") + std::to_string(node);
    for (const int member : members) ranks += (ranks.empty() ? "" : ",") + std::to_string(member);
    return JsonLine()
        .text("kind", "start")
        .text("test", settings.test)
        .raw("node_names", '[' + names + ']')
        .raw("node_of_rank", '[' + nodes + ']')
        .raw("members", '[' + ranks + ']')
        .number("timer_resolution_seconds", timer_resolution())
        .line();
}

/// Adds up what all ranks sent, and ends the stream of results.
void finish(const Bench& bench) {
    const double own[2] = {bench.payload.bytes, bench.payload.between_nodes};
    double all[2] = {};
    MPI_Reduce(own, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    bench.line(JsonLine()
                   .text("kind", "end")
                   .number("payload_bytes", all[0])
                   .number("payload_between_nodes_bytes", all[1])
                   .line());
}

int run(const Group& world, int argc, char** argv) {
    try {
        const Settings settings = parse_settings(argc, argv);
        const Test& test = find_test(settings);
        const std::vector<int> members = choose_members(settings.among, team_of(test, settings), world.nodes);
        const Group group = part_of(world, members);
        Bench bench{settings, world, group, {}};
        bench.line(start_line(world, members, settings));
        if (group.is_member()) test.run(bench);
        wait_asleep(world.comm);
        finish(bench);
        return kFine;
    } catch (const UsageError& error) {
        // Every rank comes to the same conclusion; a launcher reports the highest code.
        if (world.rank == 0) std::fprintf(stderr, "lw-netbench: %s\n", error.what());
        return kUsage;
    }
}

/// Ends all ranks, after the time that a launcher needs to hand on the last words.
void give_up(const char* reason) {
    std::fprintf(stderr, "lw-netbench: %s\n", reason);
    std::fflush(stderr);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, kEnvironment);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int code = kFine;
    try {
        code = run(world_group(), argc, argv);
    } catch (const std::bad_alloc&) {
        give_up("not enough memory for these sizes on this many ranks; give smaller sizes");
    } catch (const std::exception& error) {
        give_up(error.what());
    }
    MPI_Finalize();
    return code;
}
