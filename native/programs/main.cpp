// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <thread>

#include "common/print.hpp"
#include "registry.hpp"

namespace {

using namespace linkworth::npb;

enum ExitCode { kFine = 0, kVerificationFailed = 1, kUsage = 2, kEnvironment = 3 };

void print_program(const Program& program) {
    std::string name(program.name);
    if (!program.takes_class()) name.append(" ").append(program.argument);
    std::printf(program.takes_class() ? "  %-4s %s; %s\n" : "  %-16s %s; %s\n", name.c_str(),
                std::string(program.title).c_str(), std::string(program.rank_rule).c_str());
    for (const OptionText& option : program.options) {
        const std::string form = std::string(option.name) + ' ' + std::string(option.value);
        std::printf("      %-20s %s\n", form.c_str(), std::string(option.text).c_str());
    }
}

void print_help() {
    std::printf(
        "usage: mpiexec -n RANKS lw-npb PROGRAM CLASS [--json] [--timers]\n"
        "       mpiexec -n RANKS lw-npb PROGRAM ARGUMENT [options] [--json] [--timers]\n\n"
        "NAS Parallel Benchmarks, written anew from their published specification:\n");
    for (const Program& program : programs())
        if (program.takes_class()) print_program(program);
    std::printf("\nclasses: S W A B C D E (small to very large)\n\nothers, with their options:\n");
    for (const Program& program : programs())
        if (!program.takes_class()) print_program(program);
    std::printf(
        "\noptions of all:\n"
        "  --json    print one JSON document (schema linkworth.npb/1) instead of the result block\n"
        "  --timers  add the time of each phase and the peak memory\n\n"
        "exit codes: 0 verified, 1 verification failed, 2 usage, 3 not enough memory\n");
}

/// Ends all ranks. A launcher forwards the output of ranks only while they live: Open MPI 5 loses the last
/// words of a rank that aborts at once.
void give_up(const char* reason) {
    std::fprintf(stderr, "lw-npb: %s\n", reason);
    std::fflush(stderr);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, kEnvironment);
}

int run(MpiCommunicator& world, int argc, char** argv) {
    const bool speaks = world.rank() == 0;
    try {
        const Options options = parse_options(argc, argv);
        if (options.help) {
            if (speaks) print_help();
            return kFine;
        }
        const Outcome outcome = find_program(options).run(world, options);
        // Rank 0 alone has all results of some programs; a launcher reports the highest code of the ranks.
        if (!speaks) return kFine;
        (options.json ? print_json : print_block)(stdout, outcome);
        return verified(outcome) ? kFine : kVerificationFailed;
    } catch (const UsageError& error) {
        if (speaks) std::fprintf(stderr, "lw-npb: %s\n", error.what());
        return kUsage;
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int code = kFine;
    try {
        MpiCommunicator world(MPI_COMM_WORLD);
        code = run(world, argc, argv);
    } catch (const std::bad_alloc&) {
        give_up("not enough memory for this class on this many ranks; use more ranks or a smaller class");
    } catch (const std::exception& error) {
        give_up(error.what());
    }
    MPI_Finalize();
    return code;
}
