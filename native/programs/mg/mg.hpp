// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "../common/communicator.hpp"
#include "../common/phase_timers.hpp"
#include "../common/timed_region.hpp"
#include "layout.hpp"

/// MG: the Poisson equation A u = v on a periodic cube, by V-cycles of a multigrid method (NAS-95-020, 3.2).
namespace linkworth::npb::mg {

/// Returns an empty text if the class runs on this many ranks, else one sentence with the counts that work.
inline std::string rank_problem(const Class& problem, int ranks) {
    const std::int64_t side = problem.points_per_side() / 2, limit = side * side * side;
    if (std::has_single_bit(static_cast<unsigned>(ranks)) && ranks <= limit) return {};
    return "mg class " + std::string(1, problem.letter) + " runs on powers of two from 1 to " +
           std::to_string(limit) + " ranks, not on " + std::to_string(ranks);
}

enum class Charge { positive, negative };

/// Quantity that a message between neighbours carries: the charges v, the residual r, the solution u.
enum class Field { charges, residual, solution };

/// Rank, and x, y, z in that rank's box.
using Place = std::array<int, 4>;

struct Norm {
    double squares, largest;
};

/// Arithmetic of MG on one rank's boxes. Level 1 is the coarsest, `levels` the finest.
template <class K>
concept Kernel = requires(K kernel, Charge kind, double value, Place place, Field field, int level, int axis,
                          int direction) {
    /// v = u = 0 and a search of this rank's random numbers for the places of charges.
    kernel.start();
    /// The most extreme number here that has no charge yet, with a sign that makes it the largest.
    { kernel.candidate(kind) } -> std::same_as<double>;
    /// This rank's place of that number if `value` is it, and zeros if not.
    { kernel.claim(kind, value) } -> std::same_as<Place>;
    kernel.put(kind, place);

    kernel.clear(level);     // u = 0
    kernel.residual(level);  // r = v - A u on the finest level, r -= A u below
    { kernel.norm() } -> std::same_as<Norm>;
    kernel.restrict_residual(level);  // from `level` to the next coarser one
    kernel.interpolate(level);        // u += the next coarser level's u
    kernel.smooth(level);             // u += S r

    /// The exchange of a field's faces with neighbours, axis after axis. Outgoing data is sent before the
    /// next is requested.
    { kernel.outgoing(field, level, axis, direction) } -> std::same_as<const double*>;
    { kernel.incoming(direction) } -> std::same_as<double*>;
    kernel.take(field, level, axis);
    /// The whole exchange on a single rank.
    kernel.wrap(field, level);

    /// The only plane across the axis of this level's u. A rank that rests on the level takes the planes
    /// below and of itself from `incoming`.
    { kernel.outgoing_plane(level, axis) } -> std::same_as<const double*>;
    kernel.take_planes(level, axis);
};

using Timers = PhaseTimers<7>;
inline constexpr Timers::Names kPhases{"charges",   "residual",       "restriction", "interpolation",
                                       "smoothing", "ghost exchange", "norms"};

struct Result {
    double seconds = 0.0;        ///< of the timed region, the slowest rank's; on rank 0
    double residual_norm = 0.0;  ///< after the last iteration
    std::vector<double> iteration_seconds;
};

/// Communication and phases of one run.
template <Communicator Comm, Kernel K>
class Run {
  public:
    Run(Comm& world, K& kernel, const Class& problem, const Layout& layout, Timers& timers)
        : world_(world), kernel_(kernel), problem_(problem), layout_(layout), timers_(timers) {}

    Result operator()() {
        start();
        residual(layout_.levels());
        norm();
        cycle();
        residual(layout_.levels());
        norm();

        start();
        timers_.reset();
        world_.barrier();

        Result result;
        const double elapsed = timed_region(world_, [&] {
            residual(layout_.levels());
            norm();
            repeat(world_, problem_.iterations, result.iteration_seconds, [&](int iteration) {
                cycle();
                residual(layout_.levels());
                if (iteration == problem_.iterations) result.residual_norm = norm();
            });
        });

        world_.reduce(Reduction::max, &elapsed, &result.seconds, 1, 0);
        return result;
    }

  private:
    static constexpr int kTag = 1;  // of messages that go down; those that go up have the next

    void start() {
        timers_.measure(0, [&] {
            kernel_.start();
            world_.barrier();
            for (const Charge kind : {Charge::positive, Charge::negative})
                for (int i = 0; i < kCharges; ++i) {
                    const double mine = kernel_.candidate(kind);
                    double best = mine;
                    world_.allreduce(Reduction::max, &mine, &best, 1);
                    const Place claimed = kernel_.claim(kind, best);
                    Place place = claimed;
                    world_.allreduce(Reduction::max, claimed.data(), place.data(), place.size());
                    kernel_.put(kind, place);
                }
            world_.barrier();
        });
        exchange(Field::charges, layout_.levels());
    }

    void residual(int level) {
        timers_.measure(1, [&] { kernel_.residual(level); });
        exchange(Field::residual, level);
    }

    /// The norm of the finest residual.
    double norm() {
        Norm all{};
        timers_.measure(6, [&] {
            const Norm mine = kernel_.norm();
            all = mine;
            world_.allreduce(Reduction::sum, &mine.squares, &all.squares, 1);
            world_.allreduce(Reduction::max, &mine.largest, &all.largest, 1);
        });
        return std::sqrt(all.squares / std::pow(static_cast<double>(problem_.points_per_side()), kAxes));
    }

    void cycle() {
        for (int level = layout_.levels(); level > 1 && layout_.active(level - 1); --level) {
            timers_.measure(2, [&] { kernel_.restrict_residual(level); });
            exchange(Field::residual, level - 1);
        }
        if (layout_.active(1)) {
            timers_.measure(4, [&] { kernel_.clear(1); });
            smooth(1);
        }
        for (int level = 2; level <= layout_.levels(); ++level) {
            if (!layout_.active(level)) continue;
            spread(level - 1);
            timers_.measure(3, [&] {
                if (level < layout_.levels()) kernel_.clear(level);
                kernel_.interpolate(level);
            });
            residual(level);
            smooth(level);
        }
    }

    void smooth(int level) {
        timers_.measure(4, [&] { kernel_.smooth(level); });
        exchange(Field::solution, level);
    }

    void exchange(Field field, int level) {
        timers_.measure(5, [&] {
            if (layout_.ranks() == 1) return kernel_.wrap(field, level);
            for (int axis = 0; axis < kAxes; ++axis) {
                auto requests = receive(level, axis);
                for (const int direction : {kUpper, kLower})
                    world_.send(kernel_.outgoing(field, level, axis, direction), layout_.face(level, axis),
                                layout_.neighbour(level, axis, direction), kTag + direction);
                for (auto& request : requests) world_.wait(request);
                kernel_.take(field, level, axis);
            }
        });
    }

    /// Gives the solution to ranks that rest on its level and need it to work on the next finer one.
    void spread(int level) {
        for (int axis = 0; axis < kAxes; ++axis) {
            const Layout::Role role = layout_.role(level, axis);
            if (role == Layout::Role::none) continue;
            timers_.measure(5, [&] {
                if (role == Layout::Role::take) {
                    auto requests = receive(level + 1, axis);
                    for (auto& request : requests) world_.wait(request);
                    return kernel_.take_planes(level, axis);
                }
                for (const int direction : {kUpper, kLower})
                    world_.send(kernel_.outgoing_plane(level, axis), layout_.plane(level, axis),
                                layout_.neighbour(level + 1, axis, direction), kTag + direction);
            });
        }
    }

    /// Receives upward data from the lower neighbour, and downward data from the upper one.
    std::array<typename Comm::Request, 2> receive(int level, int axis) {
        const auto from = [&](int direction) {
            return world_.irecv(kernel_.incoming(direction), layout_.receive_size(),
                                layout_.neighbour(level, axis, direction), kTag + 1 - direction);
        };
        return {from(kLower), from(kUpper)};
    }

    Comm& world_;
    K& kernel_;
    Class problem_;
    Layout layout_;
    Timers& timers_;
};

/// `make_kernel(problem, layout, use)` makes the arithmetic and returns use(kernel). Rank 0 decides on the
/// problem and on whether timers run. The sides travel with it, as in the official programs, although they
/// follow from the levels.
template <Communicator Comm, class MakeKernel>
Result run(Comm& world, const Class& problem, int timers_on, Timers& timers, MakeKernel&& make_kernel) {
    Class agreed = problem;
    int sides[kAxes];
    for (int& side : sides) side = static_cast<int>(problem.points_per_side());
    world.barrier();
    for (int* value : {&agreed.levels, &agreed.iterations, &sides[0], &sides[1], &sides[2], &timers_on})
        world.broadcast(value, 1, 0);
    world.broadcast(agreed.smoother.data(), agreed.smoother.size(), 0);
    const Layout layout(agreed, world.rank(), world.size());
    return make_kernel(agreed, layout,
                       [&](auto& kernel) { return Run(world, kernel, agreed, layout, timers)(); });
}

}  // namespace linkworth::npb::mg
