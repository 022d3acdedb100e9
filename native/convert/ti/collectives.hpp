// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Collectives as time-independent actions: by name, or as the messages of an algorithm.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/communicators.hpp"
#include "calls/event.hpp"
#include "calls/schedule.hpp"
#include "convert/ti/actions.hpp"

namespace linkworth::convert {

/// Writes the call as an action of SimGrid's, which always means all ranks. Returns false if no data moves,
/// so that there is nothing to write. Throws std::logic_error if the shape does not fit so many ranks.
bool write_collective(TiActions& actions, const tracefile::Shape& shape, std::uint32_t ranks,
                      std::string_view call);

/// Communicator and tag of a collective's messages.
struct TiGround {
    const replay::Communicator* communicator = nullptr;
    std::int32_t tag = 0;
};

/// Writes a rank's steps one after the other. Combining data costs nothing here, because the trace does not
/// contain its speed.
void write_steps(TiActions& actions, replay::Schedule steps, const TiGround& ground, std::string_view call);

/// Starts a rank's steps and returns what completes them. Throws ConvertError if they cannot all be started
/// at once.
std::vector<TiRequest> start_steps(TiActions& actions, replay::Schedule steps, const TiGround& ground,
                                   std::string_view call);

}  // namespace linkworth::convert
