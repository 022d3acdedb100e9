// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>
#include <vector>

#include "../common/communicator.hpp"
#include "../common/phase_timers.hpp"
#include "../common/timed_region.hpp"
#include "reference.hpp"

/// FT: a diffusion equation solved with three-dimensional Fourier transforms (NAS-95-020, 3.3). The grid is
/// cut into slabs of z planes, and with more ranks than planes into pencils. All-to-all exchanges bring each
/// dimension together in turn.
namespace linkworth::npb::ft {

enum class Shape { whole, slabs, pencils };

/// Layout of the grid on the ranks. Rank r is (r / across, r % across) of `along` x `across`. In space a rank
/// has all of x, its 1/along of y and its 1/across of z. In frequency it has its 1/along of x, its 1/across
/// of y and all of z.
struct Layout {
    Shape shape;
    int along, across;

    int stages() const { return shape == Shape::pencils ? 3 : 2; }
};

/// Returns an empty text if the class runs on this many ranks, else one sentence with the counts that work.
inline std::string rank_problem(const Class& problem, int ranks) {
    const std::int64_t limit = problem.nz * std::min(problem.nx, problem.ny);
    if (std::has_single_bit(static_cast<unsigned>(ranks)) && ranks <= limit) return {};
    return "ft class " + std::string(1, problem.letter) + " runs on powers of two from 1 to " +
           std::to_string(limit) + " ranks, not on " + std::to_string(ranks);
}

inline Layout layout_of(const Class& problem, int ranks) {
    if (ranks == 1) return {Shape::whole, 1, 1};
    if (ranks <= problem.nz) return {Shape::slabs, 1, ranks};
    const int planes = static_cast<int>(problem.nz);
    return {Shape::pencils, ranks / planes, planes};
}

/// Arithmetic of FT. A transform has `stages` parts; between two of them the program exchanges `outgoing` for
/// `incoming`.
template <class K>
concept Kernel = requires(K kernel, int stage) {
    /// Index map, roots of unity, and the random initial field.
    kernel.prepare();
    kernel.forward(stage);
    /// Stages run from the last to the first. The last one first evolves the spectrum by one time step.
    kernel.inverse(stage);
    { kernel.outgoing() } -> std::same_as<const Checksum*>;
    { kernel.incoming() } -> std::same_as<Checksum*>;
    /// This rank's part of the sum over the 1024 chosen points.
    { kernel.checksum() } -> std::same_as<Checksum>;
};

using Timers = PhaseTimers<5>;
inline constexpr Timers::Names kPhases{"set-up", "forward transform", "evolve and inverse", "all-to-all",
                                       "checksum"};

struct Result {
    double seconds = 0.0;             ///< of the timed region, by this rank's clock; rank 0's counts
    std::vector<Checksum> checksums;  ///< by iteration; on rank 0
    std::vector<double> iteration_seconds;
};

/// Communication and phases of one run.
template <Communicator Comm, Kernel K>
class Run {
  public:
    Run(Comm& world, K& kernel, const Class& problem, const Layout& layout, Timers& timers)
        : world_(world),
          kernel_(kernel),
          layout_(layout),
          timers_(timers),
          across_(world.split([&](int r) { return Placement{r / layout.across, r % layout.across}; })),
          along_(world.split([&](int r) { return Placement{r % layout.across, r / layout.across}; })),
          local_points_(static_cast<std::size_t>(problem.nx * problem.ny * problem.nz / world.size())),
          iterations_(problem.iterations) {}

    Result operator()() {
        start();
        timers_.reset();
        world_.barrier();

        Result result;
        result.seconds = timed_region(world_, [&] {
            start();
            repeat(world_, iterations_, result.iteration_seconds, [&](int) {
                inverse();
                result.checksums.push_back(checksum());
            });
        });
        return result;
    }

  private:
    void start() {
        timers_.measure(0, [&] { kernel_.prepare(); });
        const int last = layout_.stages() - 1;
        for (int stage = 0; stage <= last; ++stage) {
            timers_.measure(1, [&] { kernel_.forward(stage); });
            if (stage < last) exchange(stage);
        }
    }

    void inverse() {
        for (int stage = layout_.stages() - 1; stage >= 0; --stage) {
            timers_.measure(2, [&] { kernel_.inverse(stage); });
            if (stage > 0) exchange(stage - 1);
        }
    }

    /// Exchange between stages `boundary` and `boundary` + 1, in either direction.
    void exchange(int boundary) {
        if (layout_.shape == Shape::whole) return;
        Comm& group = layout_.shape == Shape::pencils && boundary == 0 ? along_ : across_;
        timers_.measure(3, [&] {
            group.alltoall(kernel_.outgoing(), kernel_.incoming(),
                           local_points_ / static_cast<std::size_t>(group.size()));
        });
    }

    Checksum checksum() {
        Checksum total{};
        timers_.measure(4, [&] {
            const Checksum mine = kernel_.checksum();
            world_.reduce(Reduction::sum, &mine, &total, 1, 0);
        });
        return total;
    }

    Comm& world_;
    K& kernel_;
    Layout layout_;
    Timers& timers_;
    Comm across_, along_;
    std::size_t local_points_;
    int iterations_;
};

/// `make_kernel(layout, use)` makes the arithmetic and returns use(kernel).
/// `timers_on`: rank 0's word counts, as it does for iterations and layout.
template <Communicator Comm, class MakeKernel>
Result run(Comm& world, const Class& problem, int timers_on, Timers& timers, MakeKernel&& make_kernel) {
    Class agreed = problem;
    Layout layout = layout_of(problem, world.size());
    int shape = static_cast<int>(layout.shape);
    for (int* value : {&timers_on, &agreed.iterations, &shape, &layout.along, &layout.across})
        world.broadcast(value, 1, 0);
    layout.shape = static_cast<Shape>(shape);
    return make_kernel(layout, [&](auto& kernel) { return Run(world, kernel, agreed, layout, timers)(); });
}

}  // namespace linkworth::npb::ft
