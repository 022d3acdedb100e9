// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "fill.hpp"

#include <cmath>

#include "exact_solution.hpp"

namespace linkworth::npb::flow {

namespace {

/// Calls use(x, y, z, state there) for the points of the box and `ghosts` more on each side.
template <class StateAt, class Use>
void for_each_point(const Box& box, int ghosts, int points, StateAt&& state_at, Use&& use) {
    for (int z = -ghosts; z < box.size[2] + ghosts; ++z)
        for (int y = -ghosts; y < box.size[1] + ghosts; ++y)
            for (int x = -ghosts; x < box.size[0] + ghosts; ++x)
                use(x, y, z, state_at(place(box.first[0] + x, box.first[1] + y, box.first[2] + z, points)));
}

}  // namespace

void fill_initial(Field& field, const Box& box, int points) {
    for_each_point(box, field.ghosts(), points, initial_state, [&](int x, int y, int z, const State& state) {
        for (int m = 0; m < kComponents; ++m) field.at(x, y, z)[m] = state[m];
    });
}

void fill_exact(Field& field, const Box& box, int points) {
    for_each_point(box, field.ghosts(), points, exact_state, [&](int x, int y, int z, const State& state) {
        for (int m = 0; m < kComponents; ++m) field.at(x, y, z)[m] = state[m];
    });
}

void add_squared_errors(const Field& field, const Box& box, int points, State& sums) {
    for_each_point(box, 0, points, exact_state, [&](int x, int y, int z, const State& state) {
        for (int m = 0; m < kComponents; ++m) {
            const double error = field.at(x, y, z)[m] - state[m];
            sums[m] += error * error;
        }
    });
}

void add_squares(const Field& field, State& sums) {
    for (int z = 0; z < field.size()[2]; ++z)
        for (int y = 0; y < field.size()[1]; ++y)
            for (int x = 0; x < field.size()[0]; ++x)
                for (int m = 0; m < kComponents; ++m) sums[m] += field.at(x, y, z)[m] * field.at(x, y, z)[m];
}

State root_mean_squares(const State& sums, int points) {
    State result{};
    const double inner = points - 2.0;
    for (int m = 0; m < kComponents; ++m) result[m] = std::sqrt(sums[m] / (inner * inner * inner));
    return result;
}

}  // namespace linkworth::npb::flow
