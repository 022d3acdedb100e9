// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Numbers of a call besides its times, by name. Other formats show them as arguments or columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tracefile/event.hpp"

namespace linkworth::convert {

/// Ranks are those in the call's communicator, as in the trace.
enum class Field : std::uint8_t {
    comm,
    peer,
    tag,
    bytes,  ///< sent; capacity of a receive
    source,
    recv_tag,
    recv_bytes,
    matched_peer,  ///< match of a wildcard
    matched_tag,
    root,
    element_bytes,
    new_comm,   ///< absent for MPI_COMM_NULL
    found,      ///< a probe, MPI_Win_test or MPI_Parrived that returned true; an exclusive lock
    listed,     ///< requests that a wait or test was given
    completed,  ///< and how many of them it ended
    code,       ///< thread level, abort code or MPI_Pcontrol's level
    window,
    new_window,  ///< absent if none was made
    target,      ///< of a one-sided call, -1 for all
    operation,   ///< RmaOperation
    sync,        ///< WindowSync
    partitions,
    first_partition,
    last_partition,
};
inline constexpr std::size_t field_count = static_cast<std::size_t>(Field::last_partition) + 1;

/// The class with the highest number.
inline constexpr tracefile::CallClass last_class = tracefile::CallClass::isendrecv;

std::string_view field_name(Field field);
/// Returns the fields that the calls of a class have, in a fixed order.
std::span<const Field> fields_of(tracefile::CallClass call_class);
/// Returns nothing if this call has no such value (the match of a receive without a wildcard, ...).
std::optional<std::int64_t> value_of(Field field, const tracefile::Shape& shape);

}  // namespace linkworth::convert
