// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Windows of one-sided communication across ranks, and the holders of their locks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "calls/communicators.hpp"
#include "calls/pool.hpp"

namespace linkworth::replay {

/// The lock of one rank's part of a window. Requests are served in the order in which they came.
struct Lock {
    std::uint32_t shared = 0;  ///< holders
    bool exclusive = false;
    std::deque<std::uint32_t> waiting;  ///< accesses that request it
};

/// One window of the program.
struct Window {
    const Communicator* communicator = nullptr;  ///< its own, with the members of the one it was made on
    std::vector<Lock> locks;                     ///< by rank
    std::uint32_t all_holders = 0;               ///< ranks between MPI_Win_lock_all and MPI_Win_unlock_all
    std::uint32_t exclusive_holders = 0;
    std::uint32_t waiting = 0;                  ///< requests that wait at any of its locks
    std::vector<std::uint32_t> waiting_to_all;  ///< operations of MPI_Win_lock_all that wait
};

/// An access that its origin has not waited for.
struct PendingAccess {
    std::uint32_t target = 0;   ///< rank of the window
    std::uint32_t done = none;  ///< operation that ends when the origin knows the access complete
    std::uint32_t left = none;  ///< of a put: operation that ends when its data has left
    bool is_put = false;
};

/// A rank's view of a window.
struct WindowSide {
    Window* window = nullptr;
    Membership membership;
    std::vector<PendingAccess> pending;
    std::vector<std::int32_t> access_group;    ///< of MPI_Win_start
    std::vector<std::int32_t> exposure_group;  ///< of MPI_Win_post
};

/// Two ranks' windows are the same one when it is each rank's k-th on the same communicator.
class Windows {
  public:
    explicit Windows(std::uint32_t ranks) : by_rank_(ranks) {}

    /// Returns null if the rank's trace never made that window.
    WindowSide* find(std::uint32_t rank, std::int32_t number);
    /// Throws `std::invalid_argument` for a number that cannot be, or on an inter-communicator.
    WindowSide& define(std::uint32_t rank, std::int32_t number, const Membership& on,
                       Communicators& communicators);
    void forget(std::uint32_t rank, std::int32_t number);

  private:
    struct Family {
        std::vector<std::unique_ptr<Window>> instances;
        std::unordered_map<std::uint32_t, std::size_t> count_by_rank;
    };
    std::vector<std::map<std::int32_t, WindowSide>> by_rank_;
    std::map<const Communicator*, Family> families_;
};

}  // namespace linkworth::replay
