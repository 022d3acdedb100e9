// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "statistics.hpp"

namespace linkworth::netbench {

/// Does an operation `count` times in a row, together with the other ranks, and returns the seconds of all of
/// them on this rank.
using Operation = std::function<double(std::int64_t count)>;

/// Rank whose time a sample takes.
enum class Clock { first_rank, slowest_rank };

/// When a size is measured well enough.
struct Limits {
    double precision;  ///< bound of the relative confidence half-width
    double seconds;    ///< after which it is given up
};

/// Repeats an operation until its mean is known well enough. The first rank decides between rounds and
/// informs the others, so that only the operation passes between ranks while samples are taken.
class Sampler {
  public:
    /// Collective over the communicator, as is `measure`.
    Sampler(MPI_Comm comm, Limits limits);

    /// Return the times of an operation, on the first rank only.
    Summary measure(const Operation& operation, Clock clock);

  private:
    double once(const Operation& operation, std::int64_t count, Clock clock) const;
    double warm_up(const Operation& operation, Clock clock, double started) const;

    MPI_Comm comm_;
    Limits limits_;
    bool decides_;
    double resolution_;
};

/// Returns the shortest time that MPI_Wtime can resolve, its own duration included.
double timer_resolution();

}  // namespace linkworth::netbench
