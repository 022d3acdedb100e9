// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <string>

#include "common/mpi_communicator.hpp"
#include "common/options.hpp"
#include "common/outcome.hpp"
#include "common/phase_timers.hpp"

namespace linkworth::npb {

/// The entry of a table of classes; throws UsageError that names all classes.
template <class Table>
const auto& find_class(const Table& table, char letter) {
    std::string known;
    for (const auto& entry : table) {
        if (entry.letter == letter) return entry;
        if (!known.empty()) known += ", ";
        known += entry.letter;
    }
    throw UsageError("unknown class '" + std::string(1, letter) + "'; choose one of: " + known);
}

/// The class to run; throws UsageError if there is no such class, or if it cannot run on so many ranks.
template <class Table>
const auto& class_to_run(const Table& table, const Options& options, const MpiCommunicator& world) {
    const auto& problem = find_class(table, options.letter);
    if (const std::string complaint = rank_problem(problem, world.size()); !complaint.empty())
        throw UsageError(complaint);
    return problem;
}

inline Check checked(std::string name, double value, double reference) {
    return {std::move(name), value, reference, relative_error(value, reference)};
}

/// Collective, after the timed region: mean and longest time of each phase, and the peak memory, if they are
/// asked for.
template <std::size_t N>
void collect_timers(MpiCommunicator& world, const PhaseTimers<N>& timers, Outcome& outcome) {
    if (!timers.enabled()) return;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::array<double, N + 1> mine{}, sums{}, longest{};
    std::copy(timers.seconds().begin(), timers.seconds().end(), mine.begin());
    mine[N] = static_cast<double>(usage.ru_maxrss) * 1024.0;  // ru_maxrss is in KiB
    world.reduce(Reduction::sum, mine.data(), sums.data(), mine.size(), 0);
    world.reduce(Reduction::max, mine.data(), longest.data(), mine.size(), 0);
    for (std::size_t i = 0; i < N; ++i)
        outcome.phases.push_back({timers.names()[i], sums[i] / world.size(), longest[i]});
    outcome.peak_memory_bytes = static_cast<std::int64_t>(longest[N]);
}

/// Collective. What the outcomes of all programs with classes contain; size and checks are the program's.
template <class Problem, class Result, std::size_t N>
Outcome outcome_of(std::string_view program, MpiCommunicator& world, const Problem& problem,
                   const Result& result, const PhaseTimers<N>& timers) {
    Outcome outcome;
    outcome.program = program;
    outcome.letter = problem.letter;
    outcome.seconds = result.seconds;
    outcome.ranks = world.size();
    outcome.mega_operations = problem.mega_operations;
    outcome.operation = "floating point";
    if constexpr (requires { result.iteration_seconds; })
        outcome.iteration_seconds = result.iteration_seconds;
    collect_timers(world, timers, outcome);
    return outcome;
}

}  // namespace linkworth::npb
