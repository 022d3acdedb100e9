// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Head of a Paje trace, ahead of the events: their definitions, the types, and the containers.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "calls/call_numbers.hpp"
#include "convert/text_file.hpp"
#include "trace/trace.hpp"

namespace linkworth::convert {

/// Numbers of the events.
namespace paje {
inline constexpr int define_container_type = 0;
inline constexpr int define_state_type = 1;
inline constexpr int define_link_type = 2;
inline constexpr int define_entity_value = 3;
inline constexpr int create_container = 4;
inline constexpr int destroy_container = 5;
inline constexpr int pop_state = 6;
inline constexpr int start_link = 7;
inline constexpr int end_link = 8;
/// A call's state, and after it, by class, the fields of its calls.
inline constexpr int first_call = 10;

/// By rank: the threads that call MPI, without the rank's first.
using FurtherThreads = std::vector<std::set<std::uint32_t>>;
}  // namespace paje

/// Writes the definitions and the containers: `p` the program, `r0`, `r1` ... the ranks. Ranks have a state
/// type `S`, whose values are `c` and the call's number in the table of names, and a link type `L`. If a rank
/// has more than one thread there is also a container type `T` below the ranks, `r0t1`, ..., with state type
/// `Z` and values `z`.
void write_paje_header(TextFile& file, const tracefile::Trace& trace, const std::vector<std::string>& hosts,
                       const paje::FurtherThreads& threads);

}  // namespace linkworth::convert
