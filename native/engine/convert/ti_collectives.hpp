// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Collectives as time-independent actions: by name, or as the messages of an algorithm.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "convert/ti_actions.hpp"
#include "replay/communicators.hpp"
#include "replay/schedule.hpp"
#include "tracefile/event.hpp"

namespace linkworth::convert {

/// Writes the action of SimGrid's that the call is, which always means all ranks. False where nothing had to
/// be written, since no data moves. Throws std::logic_error where the shape does not fit so many ranks.
bool write_collective(TiActions& actions, const tracefile::Shape& shape, std::uint32_t ranks,
                      std::string_view call);

/// Communicator and tag of a collective's messages.
struct TiGround {
    const replay::Communicator* communicator = nullptr;
    std::int32_t tag = 0;
};

/// Writes a rank's steps one after the other. What they combine costs nothing here: the trace does not hold
/// how fast that goes.
void write_steps(TiActions& actions, replay::Schedule steps, const TiGround& ground, std::string_view call);

/// Starts a rank's steps and returns what completes them. Throws ConvertError where they cannot all be
/// started at once.
std::vector<TiRequest> start_steps(TiActions& actions, replay::Schedule steps, const TiGround& ground,
                                   std::string_view call);

}  // namespace linkworth::convert
