// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A shape's payload, to and from bytes (docs/reference/trace-format.md, "Records").
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "calls/event.hpp"

namespace linkworth::tracefile {

/// Heads of records. Events start at `head_event`; the lowest bit is set if they contain CPU time.
inline constexpr std::uint64_t head_end = 0;
inline constexpr std::uint64_t head_shape = 1;
inline constexpr std::uint64_t head_thread = 2;
inline constexpr std::uint64_t head_overlap = 3;
inline constexpr std::uint64_t head_event = 8;
/// Limit for the threads of a rank. Readers keep something for each, and a damaged number must not become
/// gigabytes.
inline constexpr std::uint64_t most_threads = 1U << 20;

/// Shapes of a block that is being written: their numbers by payload.
using ShapeNumbers = std::map<std::vector<std::uint8_t>, std::uint32_t>;

/// Fills `shape` (all fields but `collective`, which the name decides). Returns false if the payload is
/// malformed.
bool decode_shape(std::span<const std::uint8_t> payload, Shape& shape);

/// Appends the payload of `shape` to `out`.
void encode_shape(const Shape& shape, std::vector<std::uint8_t>& out);

}  // namespace linkworth::tracefile
