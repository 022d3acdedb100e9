// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>

#include "../common/communicator.hpp"
#include "../common/phase_timers.hpp"
#include "../common/timed_region.hpp"
#include "../flow/face_exchange.hpp"
#include "reference.hpp"

/// BT: the flow equations advanced by approximate factorisation. Each step solves block tridiagonal systems
/// along all lines in x, then in y, then in z (RNR-94-007, chapter 3; NAS-95-020).
namespace linkworth::npb::bt {

inline std::string rank_problem(const Class& problem, int ranks) {
    return flow::multi_partition_problem("bt", problem.letter, problem.points, ranks);
}

inline flow::MultiPartition layout_of(const Class& problem, int rank, int ranks) {
    return {problem.points, rank, ranks};
}

/// Numbers that a line hands over to its next cell (a 5 x 5 block and a right-hand side), and to the one
/// before (a solution).
inline constexpr int kEliminated = flow::kComponents * flow::kComponents + flow::kComponents;
inline constexpr int kSubstituted = flow::kComponents;

/// Lines that a message of a sweep has room for; the same for all cells, as in the official program.
inline std::size_t lines_per_message(const flow::MultiPartition& layout) {
    const auto side = static_cast<std::size_t>(layout.points() / layout.cells() + 1);
    return side * side;
}

/// Arithmetic of BT on this rank's cells. A sweep along an axis goes through the slabs of cells upwards,
/// eliminating in each, and downwards, substituting in each.
template <class K>
concept Kernel = flow::FaceKernel<K> && requires(K kernel, int axis, int slab, int cell) {
    kernel.reset();  // the initial field
    /// Time step times the right-hand side, with the forcing.
    kernel.right_hand_side(cell);
    /// Takes the values from the slab before and makes those for the next one. In the last slab it also does
    /// the work of `substitute`.
    kernel.eliminate(axis, slab);
    /// Takes the values from the next slab and makes those for the one before. Along z, the last axis, it
    /// adds the solution to the field.
    kernel.substitute(axis, slab);
    { kernel.outgoing() } -> std::convertible_to<const double*>;  // of a sweep
    { kernel.incoming() } -> std::convertible_to<double*>;
    /// Sums of squares over this rank's points; residuals of one unit of time.
    { kernel.squared_errors() } -> std::same_as<flow::State>;
    { kernel.squared_residuals() } -> std::same_as<flow::State>;
};

using Timers = PhaseTimers<6>;
inline constexpr Timers::Names kPhases{"right-hand side", "x sweeps",      "y sweeps",
                                       "z sweeps",        "face exchange", "sweep exchange"};

using flow::Result;

/// Communication and phases of one run.
template <Communicator Comm, Kernel K>
class Run {
  public:
    Run(Comm& world, Comm& sweep, Comm& faces, K& kernel, const Class& problem, Timers& timers)
        : world_(world),
          sweep_(sweep),
          faces_(faces),
          kernel_(kernel),
          problem_(problem),
          layout_(layout_of(problem, world.rank(), world.size())),
          timers_(timers) {}

    Result operator()() {
        kernel_.reset();
        step();
        kernel_.reset();
        timers_.reset();
        world_.barrier();

        Result result;
        const double elapsed = timed_region(world_, [&] {
            repeat(world_, problem_.iterations, result.iteration_seconds, [&](int) { step(); });
        });

        find_norms(result);
        world_.reduce(Reduction::max, &elapsed, &result.seconds, 1, 0);
        world_.barrier();
        return result;
    }

  private:
    static constexpr int kUp = 1, kDown = 2;  // tags

    void step() {
        find_right_hand_side();
        for (int axis = 0; axis < 3; ++axis) solve(axis);
    }

    void find_right_hand_side() {
        timers_.measure(4, [&] { flow::exchange_faces(faces_, layout_, kernel_); });
        timers_.measure(0, [&] {
            for (int cell = 0; cell < layout_.cells(); ++cell) kernel_.right_hand_side(cell);
        });
    }

    void solve(int axis) {
        const int last = layout_.cells() - 1;
        const int next = layout_.successor(axis), previous = layout_.predecessor(axis);
        const std::size_t lines = lines_per_message(layout_);
        typename Comm::Request sent;
        for (int slab = 0; slab <= last; ++slab) {
            if (slab > 0) receive(sent, lines * kEliminated, previous, kUp);
            timers_.measure(1 + axis, [&] { kernel_.eliminate(axis, slab); });
            if (slab < last) sent = send(lines * kEliminated, next, kUp);
        }
        for (int slab = last; slab > 0; --slab) {
            sent = send(lines * kSubstituted, previous, kDown);
            receive(sent, lines * kSubstituted, next, kDown);
            timers_.measure(1 + axis, [&] { kernel_.substitute(axis, slab - 1); });
        }
    }

    typename Comm::Request send(std::size_t count, int to, int tag) {
        typename Comm::Request request;
        timers_.measure(5, [&] { request = sweep_.isend(kernel_.outgoing(), count, to, tag); });
        return request;
    }
    /// Then `sent` may be overwritten, too.
    void receive(typename Comm::Request& sent, std::size_t count, int from, int tag) {
        timers_.measure(5, [&] {
            auto request = sweep_.irecv(kernel_.incoming(), count, from, tag);
            sweep_.wait(request);
            sweep_.wait(sent);
        });
    }

    void find_norms(Result& result) {
        flow::State mine = kernel_.squared_errors();
        world_.allreduce(Reduction::sum, mine.data(), result.error_squares.data(), mine.size());
        find_right_hand_side();
        mine = kernel_.squared_residuals();
        world_.allreduce(Reduction::sum, mine.data(), result.residual_squares.data(), mine.size());
    }

    Comm &world_, &sweep_, &faces_;
    K& kernel_;
    Class problem_;
    flow::MultiPartition layout_;
    Timers& timers_;
};

/// Rank 0's word on the run counts: the numbers that the official program spreads, in its order.
/// `make_kernel(layout, use)` makes the arithmetic with its fields and returns use(kernel).
template <Communicator Comm, class MakeKernel>
Result run(Comm& world, const Class& problem, int timers_on, Timers& timers, MakeKernel&& make_kernel) {
    Comm sweep = world.duplicate(), faces = world.duplicate();
    Class agreed = problem;
    int snapshots[2] = {0, 0};  // steps between written and between read fields: the I/O variant's, unused
    world.broadcast(&agreed.iterations, 1, 0);
    world.broadcast(&agreed.time_step, 1, 0);
    int points[3] = {agreed.points, agreed.points, agreed.points};
    world.broadcast(points, 3, 0);
    world.broadcast(&snapshots[0], 1, 0);
    world.broadcast(&snapshots[1], 1, 0);
    world.broadcast(&timers_on, 1, 0);
    agreed.points = points[0];
    return make_kernel(layout_of(agreed, world.rank(), world.size()),
                       [&](auto& kernel) { return Run(world, sweep, faces, kernel, agreed, timers)(); });
}

}  // namespace linkworth::npb::bt
