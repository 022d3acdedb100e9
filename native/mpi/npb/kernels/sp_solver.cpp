// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "sp_solver.hpp"

#include <algorithm>

#include "../flow/fill.hpp"
#include "sp_handover.hpp"

namespace linkworth::npb::sp {
namespace {

/// Vectors of a bundle along y or z, so that it and the fields around it fit in the second level cache.
constexpr int kWidestBundle = 8;
constexpr int kWidth = static_cast<int>(kLanes);

}  // namespace

SolverKernel::SolverKernel(const Class& problem, const Layout& layout)
    : points_(static_cast<int>(problem.points)),
      time_step_(problem.time_step),
      layout_(layout),
      faces_(layout),
      right_hand_side_(points_) {
    for (int axis = 0; axis < 3; ++axis) factors_[axis] = step_factors(axis, points_, time_step_);
    std::size_t most_lines = 0;
    for (int cell = 0; cell < layout.cells(); ++cell) {
        const flow::Box box = layout.box(cell);
        states_.emplace_back(box.size, flow::kReach, 1.0);
        forcing_.emplace_back(box.size, 0, 0.0);
        changes_.emplace_back(box.size, 0, 0.0);
        flow::fill_exact(states_.back(), box, points_);
        right_hand_side_(box, states_.back(), nullptr, -1.0, forcing_.back());
        for (int axis = 0; axis < 3; ++axis)
            most_lines = std::max(most_lines, inner_lines(layout, cell, axis));
    }
    const int side = layout.longest_side();
    kept_ = HugeArray<Points>(Kept::size(side, std::min(kWidestBundle, whole_vectors(side))));
    std::fill_n(kept_.data(), kept_.size(), Points{});
    scratch_ = HugeArray<Speeds>(scratch_size(side));
    if (layout.cells() == 1) return;
    rows_message_ = most_lines * kHandedToElimination;
    outgoing_ = HugeArray<double>(rows_message_);
    incoming_rows_ = HugeArray<double>(rows_message_ * static_cast<std::size_t>(layout.cells()));
    incoming_values_ = HugeArray<double>(most_lines * kHandedToSubstitution);
}

void SolverKernel::reset() {
    for (int cell = 0; cell < layout_.cells(); ++cell)
        flow::fill_initial(states_[cell], layout_.box(cell), points_);
}

void SolverKernel::right_hand_side(int cell) {
    right_hand_side_(layout_.box(cell), states_[cell], &forcing_[cell], time_step_, changes_[cell]);
}

Extent SolverKernel::extent(int cell, int axis) const {
    const flow::Box box = layout_.box(cell);
    return {box.size[axis], box.first[axis] == 0, box.first[axis] + box.size[axis] == points_};
}

Sections SolverKernel::inner(int cell, int axis, Sections sections) const {
    const Extent across = extent(cell, axis == 2 ? 1 : 2);
    const int first = std::max(sections.first, across.first());
    return {first, std::min(sections.first + sections.count, across.last() + 1) - first};
}

template <class Use>
void SolverKernel::for_each_bundle(int axis, int cell, int section, Use&& use) const {
    if (axis == 0) {
        const Extent along_y = extent(cell, 1);
        const int end = along_y.last() + 1;
        for (int y = along_y.first(); y < end; y += kWidth)
            use(Bundle{section, y, std::min(kWidth, end - y)});
        return;
    }
    const int vectors = whole_vectors(layout_.box(cell).size[0]);
    const int bundles = (vectors + kWidestBundle - 1) / kWidestBundle;
    for (int i = 0; i < bundles; ++i) {
        const int first = i * vectors / bundles;
        use(Bundle{section, first, (i + 1) * vectors / bundles - first});
    }
}

template <bool kSubstitutes>
void SolverKernel::sweep(int axis, int cell, Sections sections) {
    const Sections own = inner(cell, axis, sections);
    const Extent along = extent(cell, axis), along_x = extent(cell, 0);
    const double *rows = incoming_rows(cell), *values = incoming_values();
    double* out = outgoing_.data();
    const auto bring = [](const double*& message) {
        return [&message](Lanes& vector, InnerLanes inner) { take(message, inner, vector); };
    };
    const auto hand_on = [&](const Lanes& vector, InnerLanes inner) { give(vector, inner, out); };
    const auto clear = [](Lanes& vector, InnerLanes) { vector = Lanes{}; };

    const auto solve_bundle = [&](const Bundle& bundle) {
        const Kept kept(kept_.data(), axis == 0 ? 1 : bundle.count);
        const auto inner_lanes = [&](int v) -> InnerLanes {
            if (axis == 0) return {0, bundle.count};
            const int x = (bundle.first + v) * kWidth, first = std::max(along_x.first() - x, 0);
            return {first, std::min(along_x.last() + 1 - x, kWidth) - first};
        };
        if (along.starts)
            for_each_vector(kept, along.first() - 2, true, inner_lanes, clear);
        else
            for_each_vector(kept, -2, true, inner_lanes, bring(rows));
        constexpr std::array kEliminate{eliminate_along_x, eliminate_along_y, eliminate_along_z};
        kEliminate[axis](states_[cell], changes_[cell], bundle, along, factors_[axis], kept, scratch_.data());
        if constexpr (!kSubstitutes)
            return for_each_vector(kept, along.points - 2, true, inner_lanes, hand_on);

        if (along.ends)
            for_each_vector(kept, along.last() + 1, false, inner_lanes, clear);
        else
            for_each_vector(kept, along.points, false, inner_lanes, bring(values));
        if (axis == 0)
            substitute_along_x(kept, bundle, along, changes_[cell]);
        else if (axis == 1)
            substitute_along_y(kept, bundle, along, changes_[cell]);
        else
            substitute_along_z(kept, bundle, along, states_[cell]);
        if (!along.starts) for_each_vector(kept, 0, false, inner_lanes, hand_on);
    };
    for (int section = own.first; section < own.first + own.count; ++section)
        for_each_bundle(axis, cell, section, solve_bundle);
}

void SolverKernel::eliminate(int axis, int cell) { sweep<false>(axis, cell, {0, layout_.longest_side()}); }

void SolverKernel::solve(int axis, int cell, Sections sections) { sweep<true>(axis, cell, sections); }

void SolverKernel::squared_errors(flow::State& sums) const {
    sums.fill(0.0);
    for (int cell = 0; cell < layout_.cells(); ++cell)
        flow::add_squared_errors(states_[cell], layout_.box(cell), points_, sums);
}

void SolverKernel::squared_residuals(flow::State& sums) const {
    sums.fill(0.0);
    for (const flow::Field& changes : changes_) flow::add_squares(changes, sums);
    for (double& sum : sums) sum /= time_step_ * time_step_;
}

}  // namespace linkworth::npb::sp
