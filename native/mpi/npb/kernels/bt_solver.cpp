// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "bt_solver.hpp"

#include <algorithm>

namespace linkworth::npb::bt {

namespace {

constexpr int kWidth = static_cast<int>(kLanes);
static_assert(kWidth <= kSideBySide && sizeof(Eliminated) == kEliminated * sizeof(Lanes));

/// The components in the order of an axis' systems.
constexpr std::array<std::array<int, kSize>, 3> kOrder{{{0, 1, 2, 3, 4}, {0, 2, 1, 3, 4}, {0, 3, 1, 2, 4}}};

constexpr int blocks(int count) { return (count + kWidth - 1) / kWidth; }

}  // namespace

SolverKernel::SolverKernel(const Class& problem, const flow::MultiPartition& layout)
    : problem_(problem), layout_(layout), operator_(problem.points), faces_(layout) {
    for (int axis = 0; axis < 3; ++axis)
        factors_[axis] = axis_factors(axis, problem.points, problem.time_step);
    for (int cell = 0; cell < layout.cells(); ++cell) {
        const auto size = layout.box(cell).size;
        // Ghosts that no neighbour fills must hold numbers that can be divided by.
        u_.emplace_back(size, flow::kReach, 1.0);
        right_.emplace_back(size, 0, 0.0);
        forcing_.emplace_back(size, 0, 0.0);
    }
    const auto side = static_cast<std::size_t>(layout.longest_side());
    scratch_ = HugeArray<Eliminated>(side);
    x_field_ = HugeArray<Lanes>((side + 2 + kLanes) * kSize);
    x_right_ = HugeArray<Lanes>((side + kLanes) * kSize);
    if (layout.cells() == 1) return;
    bundles_ = static_cast<std::size_t>(blocks(layout.longest_side())) * side;
    const auto slabs = static_cast<std::size_t>(layout.cells() - 1);
    if (keeps_eliminated(layout))
        kept_ = HugeArray<Eliminated>(slabs * bundles_ * side);
    else
        handed_over_ = HugeArray<Eliminated>((slabs - 1) * bundles_);
    outgoing_ = HugeArray<double>(lines_per_message(layout) * kEliminated);
    incoming_ = HugeArray<double>(lines_per_message(layout) * kEliminated);
    std::fill_n(outgoing_.data(), outgoing_.size(), 0.0);  // what no line fills is sent as well
}

void SolverKernel::prepare() {
    for (int cell = 0; cell < layout_.cells(); ++cell) {
        const flow::Box box = layout_.box(cell);
        flow::fill_exact(u_[cell], box, problem_.points);
        operator_(box, u_[cell], nullptr, -1.0, forcing_[cell]);
        u_[cell].fill(1.0);
    }
}

void SolverKernel::reset() {
    for (int cell = 0; cell < layout_.cells(); ++cell)
        flow::fill_initial(u_[cell], layout_.box(cell), problem_.points);
}

void SolverKernel::right_hand_side() {
    for (int cell = 0; cell < layout_.cells(); ++cell)
        operator_(layout_.box(cell), u_[cell], &forcing_[cell], problem_.time_step, right_[cell]);
}

template <class Use>
void SolverKernel::for_each_bundle(int cell, int axis, Use&& use) const {
    const auto& size = u_[cell].size();
    const int rows = size[axis == 2 ? 1 : 2], lines = size[axis == 0 ? 1 : 0];
    std::size_t index = 0;
    for (int row = 0; row < rows; ++row)
        for (int first = 0; first < lines; first += kWidth)
            use(Bundle{cell, axis, row, first, std::min(kWidth, lines - first), index++});
}

Lines SolverKernel::lines_of(const Bundle& bundle, int slab) {
    const int cell = bundle.cell, axis = bundle.axis;
    flow::Field &u = u_[cell], &right = right_[cell];
    Lines lines{};
    lines.first = slab == 0 ? 1 : 0;
    lines.last = u.size()[axis] - (slab == layout_.cells() - 1 ? 1 : 0);
    const int y = axis == 2 ? bundle.row : 0, z = axis == 1 ? bundle.row : 0;
    for (int m = 0; m < kSize; ++m) {
        if (axis == 0) {
            lines.u[m] = reinterpret_cast<const double*>(x_field_.data() + kSize + m);
            lines.right[m] = reinterpret_cast<double*>(x_right_.data() + m);
        } else {
            lines.u[m] = u.row(kOrder[axis][m], y, z) + bundle.first;
            lines.right[m] = right.row(kOrder[axis][m], y, z) + bundle.first;
        }
    }
    constexpr std::ptrdiff_t kPoint = kSize * kWidth;
    lines.u_step = axis == 0 ? kPoint : axis == 1 ? u.y_stride() : u.z_stride();
    lines.right_step = axis == 0 ? kPoint : axis == 1 ? right.y_stride() : right.z_stride();
    if (axis != 0) {
        const bool row_ends = bundle.first + kWidth >= u.size()[0];
        lines.u_ahead = row_ends ? (axis == 1 ? u.z_stride() : u.y_stride()) - bundle.first : kWidth;
        lines.right_ahead =
            row_ends ? (axis == 1 ? right.z_stride() : right.y_stride()) - bundle.first : kWidth;
    }
    return lines;
}

namespace {

/// Rows first ... first + kLanes - 1 of a component, the last one again where there are fewer, from element x
/// on: x is the lane, and then the point.
inline void gather_rows(const flow::Field& field, int m, int y, int count, int z, int x, Lanes* points) {
    Lanes rows[kLanes];
    for (int lane = 0; lane < kWidth; ++lane)
        rows[lane] = flow::load(field.row(m, y + std::min(lane, count - 1), z) + x);
    transpose(rows);
    for (int point = 0; point < kWidth; ++point) points[point * kSize + m] = rows[point];
}

}  // namespace

void SolverKernel::gather_x_field(const Bundle& bundle) {
    const flow::Field& u = u_[bundle.cell];
    const int length = u.size()[0];
    for (int x = 0; x < length; x += kWidth)
        for (int m = 0; m < kSize; ++m)
            gather_rows(u, m, bundle.first, bundle.count, bundle.row, x, x_field_.data() + (1 + x) * kSize);
    for (const int x : {-1, length})
        for (int m = 0; m < kSize; ++m)
            for (int lane = 0; lane < kWidth; ++lane)
                x_field_[static_cast<std::size_t>((1 + x) * kSize + m)][lane] =
                    u.row(m, bundle.first + std::min(lane, bundle.count - 1), bundle.row)[x];
}

void SolverKernel::gather_x(const Bundle& bundle) {
    gather_x_field(bundle);
    const flow::Field& right = right_[bundle.cell];
    for (int x = 0; x < right.size()[0]; x += kWidth)
        for (int m = 0; m < kSize; ++m)
            gather_rows(right, m, bundle.first, bundle.count, bundle.row, x, x_right_.data() + x * kSize);
}

void SolverKernel::scatter_x(const Bundle& bundle, const Lines& lines) {
    flow::Field& right = right_[bundle.cell];
    const int length = right.size()[0];
    for (int m = 0; m < kSize; ++m) {  // the grid's boundary
        if (lines.first > 0) x_right_[static_cast<std::size_t>(m)] = Lanes{};
        if (lines.last < length) x_right_[static_cast<std::size_t>((length - 1) * kSize + m)] = Lanes{};
    }
    for (int x = 0; x < length; x += kWidth)
        for (int m = 0; m < kSize; ++m) {
            Lanes rows[kLanes];
            for (int point = 0; point < kWidth; ++point)
                rows[point] = x_right_[static_cast<std::size_t>((x + point) * kSize + m)];
            transpose(rows);
            for (int lane = 0; lane < bundle.count; ++lane)
                flow::store_first(right.row(m, bundle.first + lane, bundle.row) + x, rows[lane], length - x);
        }
}

std::size_t SolverKernel::message_offset(const Bundle& bundle, int numbers, int m) const {
    const int lines = u_[bundle.cell].size()[bundle.axis == 0 ? 1 : 0];
    return static_cast<std::size_t>((bundle.row * numbers + m) * static_cast<std::int64_t>(lines) +
                                    bundle.first);
}

Eliminated* SolverKernel::kept(int slab, const Bundle& bundle) {
    return kept_.data() + (static_cast<std::size_t>(slab) * bundles_ + bundle.index) *
                              static_cast<std::size_t>(layout_.longest_side());
}

Eliminated& SolverKernel::handed_over(int slab, const Bundle& bundle) {
    return handed_over_[static_cast<std::size_t>(slab - 1) * bundles_ + bundle.index];
}

void SolverKernel::eliminate(int axis, int slab) {
    const bool last_slab = slab == layout_.cells() - 1;
    for_each_bundle(layout_.cell_in(slab, axis), axis, [&](const Bundle& bundle) {
        if (axis == 0) gather_x(bundle);
        Lines lines = lines_of(bundle, slab);
        Eliminated carry{};
        auto* const numbers = reinterpret_cast<Lanes*>(&carry);
        if (slab > 0)
            for (int m = 0; m < kEliminated; ++m)
                numbers[m] =
                    flow::load_first(incoming_.data() + message_offset(bundle, kEliminated, m), bundle.count);
        if (slab > 0 && !last_slab && !keeps()) handed_over(slab, bundle) = carry;
        Eliminated* const store = last_slab || !keeps() ? scratch_.data() : kept(slab, bundle);
        bt::eliminate(lines, factors_[axis], carry, store);
        if (last_slab) {
            Lanes boundary[kSize]{};
            return finish(bundle, lines, store, boundary);
        }
        for (int m = 0; m < kEliminated; ++m)
            flow::store_first(outgoing_.data() + message_offset(bundle, kEliminated, m), numbers[m],
                              bundle.count);
    });
}

void SolverKernel::substitute(int axis, int slab) {
    for_each_bundle(layout_.cell_in(slab, axis), axis, [&](const Bundle& bundle) {
        Lines lines = lines_of(bundle, slab);
        Eliminated* store = scratch_.data();
        if (keeps()) {
            store = kept(slab, bundle);
        } else {
            if (axis == 0) gather_x(bundle);
            Eliminated carry{};
            if (slab > 0) carry = handed_over(slab, bundle);
            bt::eliminate(lines, factors_[axis], carry, store);
        }
        Lanes solution[kSize];
        for (int m = 0; m < kSubstituted; ++m)
            solution[m] =
                flow::load_first(incoming_.data() + message_offset(bundle, kSubstituted, m), bundle.count);
        finish(bundle, lines, store, solution);
    });
}

void SolverKernel::finish(const Bundle& bundle, Lines& lines, const Eliminated* store,
                          Lanes (&carry)[kSize]) {
    if (bundle.axis == 2) {
        double* field[kSize];
        for (int m = 0; m < kSize; ++m)
            field[m] = u_[bundle.cell].row(kOrder[2][m], bundle.row, 0) + bundle.first;
        substitute_and_add(lines, store, carry, field);
    } else {
        bt::substitute(lines, store, carry);
        if (bundle.axis == 0) scatter_x(bundle, lines);
    }
    if (outgoing_.size() == 0) return;
    for (int m = 0; m < kSubstituted; ++m)
        flow::store_first(outgoing_.data() + message_offset(bundle, kSubstituted, m), carry[m], bundle.count);
}

void SolverKernel::squared_errors(flow::State& sums) const {
    for (int cell = 0; cell < layout_.cells(); ++cell)
        flow::add_squared_errors(u_[cell], layout_.box(cell), problem_.points, sums);
}

void SolverKernel::squared_residuals(flow::State& sums) const {
    for (const flow::Field& right : right_) flow::add_squares(right, sums);
}

flow::State SolverKernel::error_norms(const flow::State& sums) const {
    return flow::root_mean_squares(sums, problem_.points);
}

flow::State SolverKernel::residual_norms(const flow::State& sums) const {
    flow::State norms = flow::root_mean_squares(sums, problem_.points);
    for (double& norm : norms) norm /= problem_.time_step;
    return norms;
}

}  // namespace linkworth::npb::bt
