// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string>

#include "../common/communicator.hpp"
#include "../common/phase_timers.hpp"
#include "../common/timed_region.hpp"
#include "../flow/face_exchange.hpp"
#include "../flow/model.hpp"
#include "../flow/multi_partition.hpp"
#include "reference.hpp"

/// SP: the compressible Navier-Stokes equations by implicit time steps in approximately factored, diagonal
/// form: along each axis in turn, scalar pentadiagonal systems on all grid lines (RNR-94-007, 3.2;
/// multi-partition scheme of NAS-95-020).
namespace linkworth::npb::sp {

using Layout = flow::MultiPartition;

/// Returns an empty text if the class runs on this many ranks, else one sentence with the counts that work.
inline std::string rank_problem(const Class& problem, int ranks) {
    return flow::multi_partition_problem("sp", problem.letter, problem.points, ranks);
}

/// Lines of a cell that are solved along an axis: those in the inner of the grid.
inline std::size_t inner_lines(const Layout& layout, int cell, int axis) {
    const flow::Points inner = flow::inner_points(layout.box(cell), layout.points());
    return static_cast<std::size_t>(inner.along((axis + 1) % 3)) *
           static_cast<std::size_t>(inner.along((axis + 2) % 3));
}

/// Values that a line's elimination hands on: for its last two points, two factors of each of the three
/// matrices and five right-hand sides. Substitution hands on five values of two points.
inline constexpr int kHandedToElimination = 2 * (3 * 2 + 5);
inline constexpr int kHandedToSubstitution = 2 * 5;

/// Arithmetic of SP on the cells of a rank. `cell` and `axis` count as in the layout.
template <class K>
concept Kernel = flow::FaceKernel<K> && requires(K kernel, int cell, int axis) {
    /// The field to start from.
    kernel.reset();
    /// Time step times the right-hand side.
    kernel.right_hand_side(cell);
    /// Eliminates along all lines of a cell, with the values from the cell before, and makes those for the
    /// next cell.
    kernel.eliminate(axis, cell);
    /// Substitutes back along them, with the values from the next cell, and makes those for the cell before.
    /// Along z the results are added to the field.
    kernel.substitute(axis, cell);
    { kernel.outgoing() } -> std::convertible_to<const double*>;
    { kernel.incoming() } -> std::convertible_to<double*>;
    /// Sums of squares over this rank's points; residuals of one unit of time.
    { kernel.squared_errors() } -> std::same_as<flow::State>;
    { kernel.squared_residuals() } -> std::same_as<flow::State>;
};

using Timers = PhaseTimers<6>;
inline constexpr Timers::Names kPhases{"faces",         "right-hand side", "lines along x",
                                       "lines along y", "lines along z",   "line exchange"};

using flow::Result;

/// Communication and phases of one run.
template <Communicator Comm, Kernel K>
class Run {
  public:
    Run(Comm& world, K& kernel, const Class& problem, const Layout& layout, Timers& timers)
        : world_(world),
          face_comm_(world.duplicate()),
          line_comm_(world.duplicate()),
          kernel_(kernel),
          problem_(problem),
          layout_(layout),
          timers_(timers) {}

    Result operator()(int timers_on) {
        broadcast_problem(timers_on);
        kernel_.reset();
        step();
        kernel_.reset();
        timers_.reset();
        world_.barrier();

        Result result;
        const double elapsed = timed_region(world_, [&] {
            repeat(world_, problem_.iterations, result.iteration_seconds, [&](int) { step(); });
        });
        world_.barrier();

        measure_distances(result);
        world_.reduce(Reduction::max, &elapsed, &result.seconds, 1, 0);
        return result;
    }

  private:
    enum Phase { kFaces, kRightHandSide, kLines, kLineExchange = kLines + 3 };

    void broadcast_problem(int timers_on) {
        int steps = problem_.iterations;
        double time_step = problem_.time_step;
        std::array<int, 3> points;
        points.fill(problem_.points);
        world_.broadcast(&steps, 1, 0);
        world_.broadcast(&time_step, 1, 0);
        world_.broadcast(points.data(), points.size(), 0);
        world_.broadcast(&timers_on, 1, 0);
    }

    void step() {
        find_right_hand_side();
        for (int axis = 0; axis < 3; ++axis) solve(axis);
    }

    void find_right_hand_side() {
        timers_.measure(kFaces, [&] { flow::exchange_faces(face_comm_, layout_, kernel_); });
        timers_.measure(kRightHandSide, [&] {
            for (int cell = 0; cell < layout_.cells(); ++cell) kernel_.right_hand_side(cell);
        });
    }

    /// All lines along an axis, slab after slab of cells and back.
    void solve(int axis) {
        const int last = layout_.cells() - 1;
        const int next = layout_.successor(axis), previous = layout_.predecessor(axis);
        typename Comm::Request sent{};
        for (int slab = 0; slab <= last; ++slab) {
            const int cell = layout_.cell_in(slab, axis);
            const std::size_t count = inner_lines(layout_, cell, axis) * kHandedToElimination;
            if (slab > 0) receive(count, previous, kEliminationTag + axis, sent);
            timers_.measure(kLines + axis, [&] { kernel_.eliminate(axis, cell); });
            if (slab < last) send(count, next, kEliminationTag + axis, sent);
        }
        for (int slab = last; slab >= 0; --slab) {
            const int cell = layout_.cell_in(slab, axis);
            const std::size_t count = inner_lines(layout_, cell, axis) * kHandedToSubstitution;
            if (slab < last) receive(count, next, kSubstitutionTag + axis, sent);
            timers_.measure(kLines + axis, [&] { kernel_.substitute(axis, cell); });
            if (slab > 0) send(count, previous, kSubstitutionTag + axis, sent);
        }
    }

    void send(std::size_t count, int to, int tag, typename Comm::Request& request) {
        timers_.measure(kLineExchange,
                        [&] { request = line_comm_.isend(kernel_.outgoing(), count, to, tag); });
    }

    /// Also waits for earlier sends.
    void receive(std::size_t count, int from, int tag, typename Comm::Request& sent) {
        timers_.measure(kLineExchange, [&] {
            std::array<typename Comm::Request, 2> requests{
                line_comm_.irecv(kernel_.incoming(), count, from, tag), sent};
            line_comm_.wait_all(requests);
        });
    }

    void measure_distances(Result& result) {
        flow::State mine = kernel_.squared_errors();
        world_.allreduce(Reduction::sum, mine.data(), result.error_squares.data(), mine.size());
        find_right_hand_side();
        mine = kernel_.squared_residuals();
        world_.allreduce(Reduction::sum, mine.data(), result.residual_squares.data(), mine.size());
    }

    static constexpr int kEliminationTag = 1, kSubstitutionTag = 4;

    Comm& world_;
    Comm face_comm_, line_comm_;
    K& kernel_;
    Class problem_;
    Layout layout_;
    Timers& timers_;
};

/// `make_kernel(layout, use)` makes the arithmetic with its fields and returns use(kernel). `timers_on`: rank
/// 0's word counts.
template <Communicator Comm, class MakeKernel>
Result run(Comm& world, const Class& problem, int timers_on, Timers& timers, MakeKernel&& make_kernel) {
    const Layout layout(problem.points, world.rank(), world.size());
    return make_kernel(layout,
                       [&](auto& kernel) { return Run(world, kernel, problem, layout, timers)(timers_on); });
}

}  // namespace linkworth::npb::sp
