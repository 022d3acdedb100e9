// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "common/arguments.hpp"
#include "common/mpi_communicator.hpp"
#include "common/options.hpp"
#include "common/outcome.hpp"

namespace linkworth::npb {

/// Command-line entry of a program. A new program is a new entry in registry.cpp.
struct Program {
    std::string_view name;
    std::string_view title;
    std::string_view rank_rule;
    /// Throws UsageError for a class or a rank count that cannot be run, before any communication.
    Outcome (*run)(MpiCommunicator& world, const Options& options);
    /// Argument after the name; the NAS Parallel Benchmarks take a class.
    std::string_view argument = kClassArgument;
    std::span<const OptionText> options = {};

    static constexpr std::string_view kClassArgument = "CLASS";
    bool takes_class() const { return argument == kClassArgument; }
};

std::span<const Program> programs();

/// The program that a command line names. Throws UsageError if there is none, or if it does not take the
/// words and options given.
const Program& find_program(const Options& options);

}  // namespace linkworth::npb
