// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Operations that act on another rank without a call there: one-sided accesses, locks, partitions of a
/// message.
#pragma once

#include <cstdint>

#include "calls/pool.hpp"
#include "replay/stamp.hpp"

namespace linkworth::replay {

struct Window;
struct Channel;

enum class AccessKind : std::uint8_t { put, get, lock, unlock, partition };

struct Access {
    Stamp at;  ///< when it is at the target, or may go on there
    AccessKind kind = AccessKind::put;
    bool exclusive = false;    ///< a lock
    bool replying = false;     ///< its data is on its way back
    std::uint32_t origin = 0;  ///< ranks of the simulation
    std::uint32_t target = 0;
    std::uint32_t target_rank = 0;  ///< in the window
    std::uint32_t done = none;      ///< operation of the origin that ends with it
    std::uint32_t request = none;   ///< likewise, of MPI_Rget
    std::uint64_t reply_bytes = 0;
    Window* window = nullptr;
    Channel* channel = nullptr;  ///< of a partition
    std::uint64_t round = 0;
    std::uint32_t unit = 0;
    std::uint32_t message = none;
};

}  // namespace linkworth::replay
