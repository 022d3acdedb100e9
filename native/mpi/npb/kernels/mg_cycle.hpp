// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "../programs/mg.hpp"
#include "mg_charges.hpp"
#include "mg_faces.hpp"
#include "mg_grid.hpp"
#include "mg_smoothing.hpp"

namespace linkworth::npb::mg {

/// The boxes of one rank and the arithmetic of V-cycles on them; see the concept for each function.
///
/// The finest level's residual is never stored: whatever needs it takes its rows as they are computed, and
/// its faces travel from the buffers of messages.
class CycleKernel {
  public:
    CycleKernel(const Class& problem, const Layout& layout, int rank);

    void start();
    double candidate(Charge kind) const { return search_->candidate(kind); }
    Place claim(Charge kind, double value) { return search_->claim(kind, value); }
    void put(Charge kind, const Place& place);

    Norm residual(bool with_norm, bool with_restriction);
    void finish_restriction();
    void restrict_to_coarser(int level);
    void smooth_coarsest();
    void correct(int level);
    void finish_smoothing(int level);

    const double* outgoing(Field field, int level, int axis, int direction);
    double* incoming(int axis, int direction) { return faces_.incoming(axis, direction); }
    void take(Field field, int level, int axis);
    void wrap(Field field, int level);

    const double* outgoing_plane(int level, int axis);
    void take_planes(int level, int axis);

  private:
    /// True if the field is one of grids that hold their ghosts themselves.
    static bool ghosted(Field field) { return field == Field::restricted || field == Field::solution; }
    const Grid& solution(int level) const { return solutions_[static_cast<std::size_t>(level)].view(); }
    const Grid& restricted(int level) const { return residuals_[static_cast<std::size_t>(level)].view(); }
    const Grid& grid(Field field, int level) const {
        return field == Field::solution ? solution(level) : restricted(level);
    }
    std::array<bool, kAxes> odd(int level) const {
        return {layout_.starts_odd(level, 0), layout_.starts_odd(level, 1), layout_.starts_odd(level, 2)};
    }

    Class problem_;
    Layout layout_;
    int rank_;
    int finest_;
    std::optional<ChargeSearch> search_;
    PlainGrid charges_;
    std::vector<GhostedGrid> solutions_, residuals_;  ///< by level, from 1; of residuals without the finest
    Faces faces_;
    SmoothingRows rows_;
};

}  // namespace linkworth::npb::mg
