// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// check_flow: exits with 0 if the parts that the flow solvers share are right, else prints the wrong ones.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "flow/exact_solution.hpp"
#include "flow/fill.hpp"
#include "flow/multi_partition.hpp"
#include "flow/right_hand_side.hpp"

using namespace linkworth::npb::flow;

namespace {

void expect(bool right, const char* what, int number) {
    if (right) return;
    std::printf("wrong: %s (%d)\n", what, number);
    std::exit(1);
}

bool near(double a, double b, double scale) { return std::abs(a - b) <= 1e-12 * scale; }

/// Each cell of the cube belongs to one rank, cells fill the grid, and what lies behind a face is the
/// neighbour's.
void check_layout(int points, int side) {
    std::map<std::array<int, 3>, int> owner;
    std::int64_t volume = 0;
    for (int rank = 0; rank < side * side; ++rank) {
        const MultiPartition layout(points, rank, side * side);
        for (int cell = 0; cell < layout.cells(); ++cell) {
            owner[{layout.slab(cell, 0), layout.slab(cell, 1), layout.slab(cell, 2)}] = rank;
            const auto size = layout.box(cell).size;
            volume += std::int64_t{size[0]} * size[1] * size[2];
            for (int axis = 0; axis < 3; ++axis) {
                expect(layout.cell_in(layout.slab(cell, axis), axis) == cell, "cell of a slab", rank);
                expect(size[axis] <= layout.longest_side(), "longest side", rank);
            }
        }
    }
    expect(owner.size() == static_cast<std::size_t>(side) * side * side, "cells", side);
    expect(volume == std::int64_t{points} * points * points, "points in cells", side);
    for (const auto& [at, rank] : owner)
        for (int axis = 0; axis < 3; ++axis) {
            auto next = at;
            next[axis] = (at[axis] + 1) % side;
            const MultiPartition layout(points, rank, side * side);
            expect(layout.successor(axis) == owner[next], "successor", rank);
            const MultiPartition other(points, owner[next], side * side);
            expect(other.predecessor(axis) == rank, "predecessor", rank);
            expect(layout.shared_face_points(axis, 1) == other.shared_face_points(axis, -1), "face", rank);
        }
}

/// A smooth field that is not the exact solution.
State sample(const Place& at) {
    State state = exact_state(at);
    for (int m = 0; m < kComponents; ++m)
        state[m] += 0.1 * std::sin(3.0 * at[0] + 5.0 * at[1] * at[2] + m) + 0.05 * at[1] * at[2];
    return state;
}

/// Flux of a state along an axis, which the scheme differences once.
State convection(const State& u, int axis) {
    const double square = u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
    const double pressure = kPressure * (u[4] - 0.5 * square / u[0]), velocity = u[1 + axis] / u[0];
    State flux{u[1 + axis], u[1] * velocity, u[2] * velocity, u[3] * velocity, (u[4] + pressure) * velocity};
    flux[1 + axis] += pressure;
    return flux;
}
State diffusion(const State& u, int axis) {
    const double w = u[1 + axis] / u[0];
    const double square = (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / (u[0] * u[0]);
    const double viscosity = 0.1 * 1.0, ratio = 1.4 * 1.4;  // k3 k4 and k1 k5
    State result{
        0.0, viscosity * u[1] / u[0], viscosity * u[2] / u[0], viscosity * u[3] / u[0],
        0.5 * (1.0 - ratio) * viscosity * square + viscosity * w * w / 6.0 + ratio * viscosity * u[4] / u[0]};
    result[1 + axis] *= 4.0 / 3.0;
    for (int m = 0; m < kComponents; ++m) result[m] += (axis == 2 ? 1.0 : 0.75) * u[m];
    return result;
}

/// The right-hand side at a point, term by term as the report has it.
State plain_right_hand_side(std::array<int, 3> at, int points) {
    const double h = 1.0 / (points - 1);
    State sum{};
    for (int axis = 0; axis < 3; ++axis) {
        const auto state = [&](int step) {
            auto index = at;
            index[axis] += step;
            return sample(place(index[0], index[1], index[2], points));
        };
        const State low = state(-1), here = state(0), high = state(1);
        const State flux_low = convection(low, axis), flux_high = convection(high, axis);
        const State d_low = diffusion(low, axis), d_here = diffusion(here, axis),
                    d_high = diffusion(high, axis);
        const int i = at[axis];
        for (int m = 0; m < kComponents; ++m) {
            sum[m] +=
                (d_low[m] - 2.0 * d_here[m] + d_high[m]) / (h * h) - (flux_high[m] - flux_low[m]) / (2.0 * h);
            // One-sided beside the boundary: the terms that would reach over it are left out.
            double fourth = (i == 1 || i == points - 2 ? 5.0 : 6.0) * here[m];
            if (i > 1) fourth -= 4.0 * low[m];
            if (i < points - 2) fourth -= 4.0 * high[m];
            if (i > 2) fourth += state(-2)[m];
            if (i < points - 3) fourth += state(2)[m];
            sum[m] -= 0.25 * fourth;
        }
    }
    return sum;
}

/// Cell by cell, with any cut of the grid, against the plain form.
void check_right_hand_side(int points, int side) {
    constexpr double kScale = 0.5;
    for (int rank = 0; rank < side * side; ++rank) {
        const MultiPartition layout(points, rank, side * side);
        for (int cell = 0; cell < layout.cells(); ++cell) {
            const Box box = layout.box(cell);
            Field u(box.size, kReach, 1.0), right(box.size, 0, 7.0), forcing(box.size, 0, 0.25);
            Field derived = derived_field(box.size);
            for (int z = -kReach; z < box.size[2] + kReach; ++z)
                for (int y = -kReach; y < box.size[1] + kReach; ++y)
                    for (int x = -kReach; x < box.size[0] + kReach; ++x) {
                        const int outside = (x < 0 || x >= box.size[0]) + (y < 0 || y >= box.size[1]) +
                                            (z < 0 || z >= box.size[2]);
                        if (outside > 1) continue;  // no neighbour sends what lies beside edges
                        const State state =
                            sample(place(box.first[0] + x, box.first[1] + y, box.first[2] + z, points));
                        for (int m = 0; m < kComponents; ++m) u.at(x, y, z)[m] = state[m];
                    }
            derive(u, derived);
            find_right_hand_side(box, points, u, derived, &forcing, kScale, right);
            for (int z = 0; z < box.size[2]; ++z)
                for (int y = 0; y < box.size[1]; ++y)
                    for (int x = 0; x < box.size[0]; ++x) {
                        const std::array<int, 3> at{box.first[0] + x, box.first[1] + y, box.first[2] + z};
                        bool inner = true;
                        for (const int i : at) inner = inner && i > 0 && i < points - 1;
                        const State plain = inner ? plain_right_hand_side(at, points) : State{};
                        for (int m = 0; m < kComponents; ++m)
                            expect(near(right.at(x, y, z)[m], inner ? kScale * (plain[m] + 0.25) : 0.0,
                                        points * points * 100.0),
                                   "right-hand side", m);
                    }
        }
    }
}

/// The initial field is exact on the boundary only; errors and norms are measured against the exact solution.
void check_fields(int points) {
    const Box whole{{0, 0, 0}, {points, points, points}};
    Field u(whole.size, kReach, 1.0);
    fill_initial(u, whole, points);
    for (int m = 0; m < kComponents; ++m) {
        expect(near(u.at(5, 3, 0)[m], exact_state(place(5, 3, 0, points))[m], 10.0), "boundary", m);
        expect(!near(u.at(5, 3, 2)[m], exact_state(place(5, 3, 2, points))[m], 10.0), "inside", m);
    }
    fill_exact(u, whole, points);
    u.at(5, 3, 2)[2] += 3.0;
    State sums{};
    add_squared_errors(u, whole, points, sums);
    const State norms = root_mean_squares(sums, points);
    expect(near(norms[2], 3.0 / std::sqrt(std::pow(points - 2.0, 3)), 1.0), "error norm", 2);
    expect(norms[0] == 0.0 && norms[4] == 0.0, "error norm", 0);
}

}  // namespace

int main() {
    for (const int side : {1, 2, 3, 4, 7}) {
        check_layout(29, side);
        expect(multi_partition_problem("bt", 'S', 29, side * side).empty(), "rank count", side);
    }
    for (const int ranks : {2, 3, 8, 100, 101})
        expect(!multi_partition_problem("bt", 'S', 29, ranks).empty(), "rank count", ranks);
    for (const int side : {1, 2, 3, 4}) check_right_hand_side(13, side);
    check_right_hand_side(41, 1);
    check_fields(13);
    return 0;
}
