// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "sp_solver.hpp"

#include <algorithm>

#include "../flow/fill.hpp"

namespace linkworth::npb::sp {

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

        const flow::Field& changes = changes_.back();
        section_vectors_ =
            std::max({section_vectors_, groups(cell) * LinesAlongX::vectors(box.size[0]),
                      Sheet::vectors(std::max(box.size[1], box.size[2]),
                                     static_cast<int>(changes.row_stride() / static_cast<int>(kLanes)),
                                     changes.row_blocks())});
    }
    const auto longest = static_cast<std::size_t>(layout.longest_side());
    const std::size_t sections = layout.cells() == 1 ? 1 : layout.cells() * longest;
    storage_ = HugeArray<Lanes>(sections * section_vectors_);
    std::fill_n(storage_.data(), storage_.size(), Lanes{});
    scratch_ = HugeArray<Speeds>(longest + 2 + kLanes);
    if (layout.cells() == 1) return;
    outgoing_ = HugeArray<double>(most_lines * kHandedToElimination);
    incoming_ = HugeArray<double>(most_lines * kHandedToElimination);
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

int SolverKernel::groups(int cell) const {
    const Extent along_y = extent(cell, 1);
    return whole_vectors(along_y.last() - along_y.first() + 1);
}

SolverKernel::Group SolverKernel::group(int cell, int index) const {
    const Extent along_y = extent(cell, 1);
    const int first = along_y.first() + index * static_cast<int>(kLanes);
    return {first, std::min(static_cast<int>(kLanes), along_y.last() + 1 - first)};
}

Lanes* SolverKernel::storage(int cell, int section) {
    const std::size_t index =
        layout_.cells() == 1 ? 0 : static_cast<std::size_t>(cell * layout_.longest_side() + section);
    return storage_.data() + index * section_vectors_;
}

LinesAlongX SolverKernel::lines(int cell, int z, int group) {
    const int points = layout_.box(cell).size[0];
    const std::size_t index = layout_.cells() == 1 ? 0 : static_cast<std::size_t>(group);
    return {storage(cell, z) + index * LinesAlongX::vectors(points), points};
}

Sheet SolverKernel::sheet(int cell, int section) { return {storage(cell, section), changes_[cell]}; }

void SolverKernel::eliminate(int axis, int cell, Sections sections) {
    const Sections own = inner(cell, axis, sections);
    const Extent along = extent(cell, axis);
    const flow::Field& state = states_[cell];
    flow::Field& changes = changes_[cell];
    for (int section = own.first; section < own.first + own.count; ++section) {
        if (axis == 0)
            for (int i = 0; i < groups(cell); ++i)
                eliminate_along_x(state, changes, group(cell, i).first, section, group(cell, i).count, along,
                                  factors_[axis], lines(cell, section, i), scratch_.data());
        else if (axis == 1)
            eliminate_along_y(state, changes, section, along, factors_[axis], sheet(cell, section),
                              scratch_.data());
        else
            eliminate_along_z(state, changes, section, along, factors_[axis], sheet(cell, section),
                              scratch_.data());
    }
}

void SolverKernel::substitute(int axis, int cell, Sections sections) {
    const Sections own = inner(cell, axis, sections);
    const Extent along = extent(cell, axis);
    flow::Field& changes = changes_[cell];
    for (int section = own.first; section < own.first + own.count; ++section) {
        if (axis == 0)
            for (int i = 0; i < groups(cell); ++i)
                substitute_along_x(lines(cell, section, i), along, changes, group(cell, i).first, section,
                                   group(cell, i).count);
        else if (axis == 1)
            substitute_along_y(changes, section, along, sheet(cell, section));
        else
            substitute_along_z(states_[cell], changes, section, along, sheet(cell, section));
    }
}

void SolverKernel::solve(int axis, int cell, Sections sections) {
    const Sections own = inner(cell, axis, sections);
    const Extent along = extent(cell, axis);
    for (int section = own.first; section < own.first + own.count; ++section) {
        if (axis > 0) {
            eliminate(axis, cell, {section, 1});
            substitute(axis, cell, {section, 1});
            continue;
        }
        for (int i = 0; i < groups(cell); ++i) {
            const Group rows = group(cell, i);
            const LinesAlongX kept = lines(cell, section, i);
            eliminate_along_x(states_[cell], changes_[cell], rows.first, section, rows.count, along,
                              factors_[axis], kept, scratch_.data());
            substitute_along_x(kept, along, changes_[cell], rows.first, section, rows.count);
        }
    }
}

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
