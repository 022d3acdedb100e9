// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Meaning of the names of MPI calls.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calls/event.hpp"

namespace linkworth::tracefile {

/// `MPI_Iallreduce`, `MPI_Allreduce_init`, `MPI_Allreduce_c` and `PMPI_Allreduce` are all
/// `Collective::allreduce`.
Collective collective_by_name(std::string_view name);

/// `allreduce`, ...; empty for `none`.
std::string_view collective_name(Collective collective);

/// Returns whether a call that was recorded by name and time only moves data or waits for other ranks. These
/// are process creation, and one-sided and partitioned communication in old traces. A replay without such a
/// call may be wrong.
bool communicates(std::string_view name);

/// Returns whether all ranks of a communicator take part in the call and exchange data. One-sided, file and
/// process calls do not count.
bool is_collective(std::string_view name);

/// The call class by its name in the format's document (`isend`, `comm_new`, ...), and back.
std::string_view class_name(CallClass call_class);
bool class_by_name(std::string_view name, CallClass& call_class);

/// Parts an entry of the table of names, `MPI_Send@/path/of/program+0x4f2`: name, and call site (empty for
/// none).
struct NamedSite {
    std::string_view name;
    std::string_view site;
};
NamedSite at_site(std::string_view entry);

/// Splits a table of names, each with a NUL after it. Empty names at the end are room that was not used.
std::vector<std::string> split_names(std::span<const std::uint8_t> table);

}  // namespace linkworth::tracefile
