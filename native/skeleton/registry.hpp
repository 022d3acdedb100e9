// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "skeleton/recording_communicator.hpp"
#include "skeleton/work.hpp"

namespace linkworth::skeleton {

/// A program's arguments, and how much of it is recorded.
struct Arguments {
    /// {"B"} of `lw-npb mg B`, {"100x126x37", "--iterations", "10"} of a stencil.
    std::span<const std::string> words;
    /// Iterations of a shorter run, of programs whose iterations are all alike; none: the whole program.
    std::optional<int> iterations = {};
};

/// Arguments or a rank count that a program cannot run with; one sentence for the user.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws UsageError if a shorter run is asked of a program whose iterations differ.
inline void refuse_shorter(std::string_view program, Arguments arguments) {
    if (arguments.iterations)
        throw UsageError("iterations of " + std::string(program) + " differ; record the whole program");
}

/// A program that can be recorded without running. A new one is a file in programs/, a line in
/// programs/programs.hpp and an entry in registry.cpp.
struct Skeleton {
    std::string_view name;
    /// Phases that the program times with --timers, in the order in which `Work` counts them.
    std::span<const std::string_view> phases;
    /// Throws UsageError if the program cannot run with these.
    void (*check)(Arguments arguments, int ranks);
    /// One rank's calls between MPI_Init and MPI_Finalize.
    void (*record)(Arguments arguments, RecordingCommunicator& world, Work& work);
};

std::span<const Skeleton> skeletons();

/// Throws UsageError that names all programs.
const Skeleton& find_skeleton(std::string_view name);

}  // namespace linkworth::skeleton
