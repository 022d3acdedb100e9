// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "../mpi_communicator.hpp"
#include "../options.hpp"
#include "../outcome.hpp"

namespace linkworth::npb {

/// A program as the command line knows it. A new program is a new entry in registry.cpp.
struct Program {
    std::string_view name;
    std::string_view title;
    std::string_view rank_rule;
    /// Throws UsageError for a class or a rank count that cannot be run, before any communication.
    Outcome (*run)(MpiCommunicator& world, const Options& options);
};

std::span<const Program> programs();

/// Throws UsageError that names all programs.
const Program& find_program(std::string_view name);

}  // namespace linkworth::npb
