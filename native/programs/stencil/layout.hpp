// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

/// Layout of the stencil's domain on the ranks.
namespace linkworth::npb::stencil {

struct Problem {
    std::int64_t nx = 100, ny = 126, nz = 37;
    int iterations = 3456;  ///< of 75 s each: three days
    int radiation_every = 12;
    int radiation_bands = 32;
    int output_every = 145;       ///< 0: never, as for radiation
    int dynamics_steps = 1;       ///< time steps of an iteration, each with an exchange of halos
    int physics_steps = 0;        ///< of column physics in an iteration; 0: none
    double output_seconds = 0.0;  ///< that rank 0 takes to store an output
};

/// Cost of a forecast by WRF.
/// Acoustic steps: the three Runge-Kutta stages of a time step take 1, 2 and 4 of them by default (Skamarock
/// et al., A Description of the Advanced Research WRF Version 3, NCAR/TN-475, 2008).
/// Physics: an assumption, 5000 floating point operations a point and iteration. A step of column physics
/// makes about 100.
/// Radiation: 16 bands of 16 intervals (Mlawer et al., RRTM, J. Geophys. Res. 102, 1997).
/// Output: 8 s, as published for the runs that this preset represents.
inline Problem wrf() {
    Problem problem;
    problem.dynamics_steps = 7;
    problem.physics_steps = 50;
    problem.radiation_bands = 256;
    problem.output_seconds = 8.0;
    return problem;
}

/// Indices [first, first + count).
struct Range {
    std::int64_t first, count;
};

/// A rank's part of the domain: whole columns.
struct Piece {
    Range x, y;
    std::int64_t points(std::int64_t nz) const { return x.count * y.count * nz; }
};

/// Direction to a neighbour in the grid of ranks.
struct Step {
    int x, y;
};

/// Fewest points of a piece in either direction: below, halos would be a good part of the domain.
inline constexpr std::int64_t kFewestPoints = 4;

/// Ranks in a grid of `across` (x) times `along` (y): of all grids that leave each rank enough points, the
/// one with the shortest halos. Rank r is at (r % across, r / across). The domain is periodic in x and y.
class Grid {
  public:
    Grid(const Problem& problem, int ranks) : nx_(problem.nx), ny_(problem.ny) {
        double shortest = 0.0;
        const auto most = std::min<std::int64_t>(ranks, nx_ / kFewestPoints);
        for (int across = 1; across <= most; ++across) {
            if (ranks % across != 0) continue;
            const int along = ranks / across;
            if (ny_ / along < kFewestPoints) continue;
            const double halo = static_cast<double>(nx_) / across + static_cast<double>(ny_) / along;
            if (fits() && halo >= shortest) continue;
            shortest = halo;
            across_ = across;
            along_ = along;
        }
    }

    /// False: no grid leaves each rank enough points.
    bool fits() const { return across_ > 0; }
    Piece piece(int rank) const {
        return {part(nx_, across_, rank % across_), part(ny_, along_, rank / across_)};
    }
    int neighbour(int rank, Step step) const {
        const int x = (rank % across_ + step.x + across_) % across_;
        const int y = (rank / across_ + step.y + along_) % along_;
        return y * across_ + x;
    }

  private:
    /// Returns a part. If the count does not divide, the first parts have one index more.
    static Range part(std::int64_t count, int parts, int index) {
        const std::int64_t each = count / parts, rest = count % parts;
        return {index * each + std::min<std::int64_t>(index, rest), each + (index < rest ? 1 : 0)};
    }

    std::int64_t nx_, ny_;
    int across_ = 0, along_ = 0;
};

/// Returns an empty text if the domain can be cut for this many ranks, else one sentence.
inline std::string rank_problem(const Problem& problem, int ranks) {
    if (Grid(problem, ranks).fits()) return {};
    const auto text = [](std::int64_t number) { return std::to_string(number); };
    return "stencil: " + text(problem.nx) + " x " + text(problem.ny) + " columns cannot be cut into " +
           text(ranks) + " pieces of at least " + text(kFewestPoints) + " x " + text(kFewestPoints) +
           "; use a count with factors up to " + text(problem.nx / kFewestPoints) + " and " +
           text(problem.ny / kFewestPoints) + ", at most " +
           text((problem.nx / kFewestPoints) * (problem.ny / kFewestPoints)) + ", or more points";
}

}  // namespace linkworth::npb::stencil
