// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../common/communicator.hpp"
#include "../common/phase_timers.hpp"
#include "../flow/model.hpp"
#include "layout.hpp"
#include "reference.hpp"

/// LU: the flow equations by symmetric successive over-relaxation. Each step solves a block lower and a block
/// upper triangular system, whose wavefronts pass from pencil to pencil plane by plane (RNR-94-007, chapter
/// 3; NAS-95-020, 3.7).
namespace linkworth::npb::lu {

using flow::State;

/// Arithmetic of LU on one rank's pencil. Planes are z = 1 ... points - 2. Messages have a fixed buffer for
/// each side.
template <class K>
concept Kernel = requires(K kernel, int plane, int axis, int face, Side side, State& sums) {
    /// The field u := the exact solution, and := the start of the iteration, on all own points.
    kernel.fill_exact();
    kernel.fill_initial();
    /// Two layers of u along a side, all components, whole own length and height.
    kernel.pack_ghosts(side);
    kernel.unpack_ghosts(side);
    { kernel.outgoing_ghosts(side) } -> std::same_as<const double*>;
    { kernel.incoming_ghosts(side) } -> std::same_as<double*>;
    /// r := difference operator of u + forcing.
    kernel.right_hand_side();
    /// forcing := -r everywhere, so that the exact solution's right-hand side is zero.
    kernel.take_forcing();
    /// r := solution of the lower triangular system on a plane, and then of the upper one, with the lines
    /// that came in. The lines for the neighbours are then ready.
    kernel.lower(plane);
    kernel.upper(plane);
    /// Adds the solution to u.
    kernel.add_changes();
    { kernel.outgoing_line(side) } -> std::same_as<const double*>;
    { kernel.incoming_line(side) } -> std::same_as<double*>;
    /// Adds the squares of r over own points, and those of the distance of u to the exact solution.
    kernel.add_squares(sums);
    kernel.add_squared_errors(sums);
    /// Pressures on the two faces that enclose the volume of the surface integral along an axis.
    kernel.take_faces(axis);
    /// Packs the first lines for the low neighbour, and unpacks those after the last ones from the high
    /// neighbour; of one face, or both (-1).
    kernel.pack_face_line(side, face);
    kernel.unpack_face_line(side, face);
    { kernel.outgoing_face_line() } -> std::same_as<const double*>;
    { kernel.incoming_face_line() } -> std::same_as<double*>;
    /// Integral of the pressure over this rank's parts of both faces, times four.
    { kernel.face_sum() } -> std::same_as<double>;
};

using Timers = PhaseTimers<6>;
inline constexpr Timers::Names kPhases{"right-hand side",    "lower solves", "upper solves",
                                       "wavefront messages", "ghost planes", "norms"};

struct Result {
    double seconds = 0.0;  ///< of the timed region, the slowest rank's
    State residuals{}, errors{};
    double surface_integral = 0.0;
    std::vector<double> iteration_seconds;
};

/// Communication and phases of one run.
template <Communicator Comm, Kernel K>
class Run {
  public:
    Run(Comm& world, K& kernel, const Class& problem, Timers& timers)
        : world_(world),
          kernel_(kernel),
          problem_(problem),
          layout_(problem, world.rank(), world.size()),
          timers_(timers) {
        for (const Side side : {low_x, high_x, low_y, high_y}) {
            if (!layout_.has_neighbour(side)) continue;
            const int length = across_x(side) ? layout_.inner_y().count : layout_.inner_x().count;
            lines_[side] = {layout_.neighbour(side), static_cast<std::size_t>(flow::kComponents * length)};
        }
    }

    Result operator()() {
        kernel_.fill_exact();
        exchange_ghosts();
        right_hand_side();
        kernel_.take_forcing();
        kernel_.fill_initial();
        iterate(1, false);
        kernel_.fill_initial();
        Result result = iterate(problem_.iterations, true);
        result.errors = root_mean_squares([&](State& sums) { kernel_.add_squared_errors(sums); });
        result.surface_integral = surface_integral();
        return result;
    }

  private:
    static constexpr int kGhostTag = 1, kLineTag = 2, kFaceTag = 3;
    static constexpr int kNobody = -1;

    /// The message between two planes' solves through one side: nearly all messages are of this kind.
    struct Line {
        int neighbour = kNobody;
        std::size_t count = 0;
    };

    Result iterate(int steps, bool timed) {
        const auto squares = [&](State& sums) { kernel_.add_squares(sums); };
        Result result;
        exchange_ghosts();
        right_hand_side();
        result.residuals = root_mean_squares(squares);
        timers_.reset();
        world_.barrier();

        if (timed) world_.mark_region(1);
        const double begin = world_.wall_time();
        double previous = begin;
        for (int step = 1; step <= steps; ++step) {
            lower_sweep();
            upper_sweep();
            // The benchmark sums the last step's solution, too.
            if (step == steps && timed) root_mean_squares(squares);
            exchange_ghosts();
            right_hand_side();
            const double now = world_.wall_time();
            result.iteration_seconds.push_back(now - previous);
            previous = now;
        }
        if (timed) result.residuals = root_mean_squares(squares);
        const double elapsed = world_.wall_time() - begin;
        if (timed) world_.mark_region(0);

        world_.allreduce(Reduction::max, &elapsed, &result.seconds, 1);
        return result;
    }

    void right_hand_side() {
        timers_.measure(0, [&] { kernel_.right_hand_side(); });
    }

    void lower_sweep() {
        for (int plane = 1; plane < problem_.points - 1; ++plane) {
            receive_lines(low_y, low_x);
            timers_.measure(1, [&] { kernel_.lower(plane); });
            send_lines(high_y, high_x);
        }
    }

    void upper_sweep() {
        for (int plane = problem_.points - 2; plane > 0; --plane) {
            receive_lines(high_y, high_x);
            timers_.measure(2, [&] { kernel_.upper(plane); });
            send_lines(low_y, low_x);
        }
        timers_.measure(2, [&] { kernel_.add_changes(); });
    }

    void receive_lines(Side first, Side second) {
        timers_.measure(3, [&] {
            for (const Side side : {first, second})
                if (const Line& line = lines_[side]; line.neighbour != kNobody)
                    world_.recv(kernel_.incoming_line(side), line.count, line.neighbour, kLineTag);
        });
    }

    void send_lines(Side first, Side second) {
        timers_.measure(3, [&] {
            for (const Side side : {first, second})
                if (const Line& line = lines_[side]; line.neighbour != kNobody)
                    world_.send(kernel_.outgoing_line(side), line.count, line.neighbour, kLineTag);
        });
    }

    /// The layers move up along y, then down, and so along x.
    void exchange_ghosts() {
        timers_.measure(4, [&] {
            for (const Side to : {high_y, low_y, high_x, low_x}) {
                const Side from = opposite(to);
                const int length = across_x(to) ? layout_.own_y().count : layout_.own_x().count;
                const std::size_t count = std::size_t{flow::kReach * flow::kComponents} *
                                          static_cast<std::size_t>(length) *
                                          static_cast<std::size_t>(problem_.points);
                const bool comes = layout_.has_neighbour(from);
                typename Comm::Request request{};
                if (comes)
                    request = world_.irecv(kernel_.incoming_ghosts(from), count, layout_.neighbour(from),
                                           kGhostTag);
                if (layout_.has_neighbour(to)) {
                    kernel_.pack_ghosts(to);
                    world_.send(kernel_.outgoing_ghosts(to), count, layout_.neighbour(to), kGhostTag);
                }
                if (comes) {
                    world_.wait(request);
                    kernel_.unpack_ghosts(from);
                }
            }
        });
    }

    template <class AddSquares>
    State root_mean_squares(AddSquares&& add_squares) {
        State sums{}, totals{};
        timers_.measure(5, [&] {
            add_squares(sums);
            world_.allreduce(Reduction::sum, sums.data(), totals.data(), totals.size());
        });
        const double inner = problem_.points - 2.0;
        for (double& total : totals) total = std::sqrt(total / (inner * inner * inner));
        return totals;
    }

    /// Pressure integrated over the faces of a box inside the grid (RNR-94-007, 3.4).
    double surface_integral() {
        const auto nx = static_cast<std::size_t>(layout_.own_x().count);
        const auto ny = static_cast<std::size_t>(layout_.own_y().count);
        const auto nz = static_cast<std::size_t>(problem_.points);
        kernel_.take_faces(2);
        exchange_face_line(low_x, -1, 2 * ny);
        exchange_face_line(low_y, -1, 2 * (nx + 2));  // with the corners that just came in
        double total = summed(kernel_.face_sum());
        for (const int axis : {0, 1}) {
            kernel_.take_faces(axis);
            const Side side = axis == 1 ? low_x : low_y;
            for (int face = 0; face < 2; ++face)
                if (layout_.has_face(axis, face)) exchange_face_line(side, face, nz);
            total += summed(kernel_.face_sum());
        }
        return 0.25 * total;
    }

    double summed(double value) {
        double total = 0.0;
        world_.allreduce(Reduction::sum, &value, &total, 1);
        return total;
    }

    void exchange_face_line(Side to, int face, std::size_t count) {
        const Side from = opposite(to);
        const bool comes = layout_.has_neighbour(from);
        typename Comm::Request request{};
        if (comes)
            request = world_.irecv(kernel_.incoming_face_line(), count, layout_.neighbour(from), kFaceTag);
        if (layout_.has_neighbour(to)) {
            kernel_.pack_face_line(to, face);
            world_.send(kernel_.outgoing_face_line(), count, layout_.neighbour(to), kFaceTag);
        }
        if (comes) {
            world_.wait(request);
            kernel_.unpack_face_line(from, face);
        }
    }

    Comm& world_;
    K& kernel_;
    Class problem_;
    Layout layout_;
    Timers& timers_;
    std::array<Line, kSides> lines_;
};

/// `make_kernel(problem, layout, use)` makes the arithmetic and returns use(kernel). Rank 0's word on the
/// problem and on the timers counts.
template <Communicator Comm, class MakeKernel>
Result run(Comm& world, Class problem, int timers_on, Timers& timers, MakeKernel&& make_kernel) {
    // The whole input of the official programs, value by value as they send it. Values that are fixed here
    // are sent too.
    int print_interval = 1, norm_interval = problem.iterations;
    double relaxation = kRelaxation;
    State convergence = kConvergence;
    for (int* value : {&timers_on, &print_interval, &norm_interval, &problem.iterations})
        world.broadcast(value, 1, 0);
    for (double* value : {&problem.time_step, &relaxation}) world.broadcast(value, 1, 0);
    world.broadcast(convergence.data(), convergence.size(), 0);
    int extents[3] = {problem.points, problem.points, problem.points};
    for (int& extent : extents) world.broadcast(&extent, 1, 0);
    return make_kernel(problem, Layout(problem, world.rank(), world.size()),
                       [&](auto& kernel) { return Run(world, kernel, problem, timers)(); });
}

}  // namespace linkworth::npb::lu
