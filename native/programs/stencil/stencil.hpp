// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "../common/communicator.hpp"
#include "../common/phase_timers.hpp"
#include "layout.hpp"

/// Stencil: the pattern of a regional weather model. Each iteration exchanges halos with four neighbours and
/// advances the fields, in one step or several, and may then work on columns. Now and then radiation works on
/// columns too, and an output step gathers the fields.
namespace linkworth::npb::stencil {

/// Prognostic fields: thickness, two momenta, buoyancy and water, each times the thickness.
inline constexpr int kFields = 5;

/// Side of a halo, and direction of the message that fills a neighbour's.
enum class Side { west, east, south, north };
inline constexpr std::array kSides{Side::west, Side::east, Side::south, Side::north};
inline Side opposite(Side side) { return static_cast<Side>(static_cast<int>(side) ^ 1); }

/// Sums over all points, and what has entered and left the domain since the start.
enum Total { mass, momentum_x, momentum_y, heat, water, kinetic_energy, rain, radiation };
inline constexpr std::size_t kTotals = 8;
using Totals = std::array<double, kTotals>;

/// Arithmetic on this rank's piece of the domain.
template <class K>
concept Kernel = requires(K kernel, const K view, Side side, int field, int iteration) {
    kernel.start();
    /// Copies the points next to that side into its outgoing message.
    kernel.pack(side);
    { kernel.outgoing(side) } -> std::same_as<const double*>;
    { kernel.incoming(side) } -> std::same_as<double*>;
    kernel.unpack(side);
    /// Fills the halo of that side from this rank's own opposite side: one rank in that direction.
    kernel.wrap(side);
    /// One time step of flow, mixing and rain.
    kernel.advance();
    /// Turbulence in the columns, all steps of an iteration.
    kernel.mix_columns();
    kernel.radiate(iteration);
    kernel.pack_output(field);
    { kernel.piece() } -> std::same_as<const double*>;  // nx * ny * nz values of the rank
    { kernel.pieces() } -> std::same_as<double*>;       // of all ranks, on rank 0
    /// Rank 0 puts the pieces into their places; the last field ends an output.
    kernel.take_output(field);
    /// Rank 0 lets the time pass that storing an output takes.
    kernel.store_output();
    { view.totals() } -> std::same_as<Totals>;
};

using Timers = PhaseTimers<7>;
inline constexpr Timers::Names kPhases{"dynamics",      "radiation",        "halo copies",   "halo exchange",
                                       "output copies", "output gathering", "column physics"};

struct Result {
    double seconds = 0.0;    ///< of the timed region, the slowest rank's; on rank 0
    Totals first{}, last{};  ///< before the first iteration and after the last; on rank 0
    std::vector<double> iteration_seconds;
};

/// Communication and phases of one run.
template <Communicator Comm, Kernel K>
class Run {
  public:
    Run(Comm& world, K& kernel, const Problem& problem, Timers& timers)
        : world_(world),
          kernel_(kernel),
          problem_(problem),
          grid_(problem, world.size()),
          piece_(grid_.piece(world.rank())),
          timers_(timers) {
        for (const Side side : kSides) neighbours_[index(side)] = grid_.neighbour(world.rank(), step(side));
        if (problem.output_every > 0 && world.rank() == 0)
            for (int rank = 0; rank < world.size(); ++rank)
                piece_sizes_.push_back(static_cast<int>(grid_.piece(rank).points(problem.nz)));
    }

    Result operator()() {
        Result result;
        kernel_.start();
        const Totals first = kernel_.totals();
        timers_.reset();
        world_.barrier();

        const double begin = world_.wall_time();
        double now = begin;
        result.iteration_seconds.reserve(static_cast<std::size_t>(problem_.iterations));
        for (int iteration = 1; iteration <= problem_.iterations; ++iteration) {
            // Marked again at each iteration, so that a replay knows when it begins.
            world_.mark_region(1);
            iterate(iteration);
            const double end = world_.wall_time();
            result.iteration_seconds.push_back(end - now);
            now = end;
        }
        const double elapsed = now - begin;
        world_.mark_region(0);

        const Totals last = kernel_.totals();
        sum(first, result.first);
        sum(last, result.last);
        world_.reduce(Reduction::max, &elapsed, &result.seconds, 1, 0);
        return result;
    }

  private:
    static constexpr std::size_t index(Side side) { return static_cast<std::size_t>(side); }
    static constexpr Step step(Side side) {
        constexpr std::array<Step, 4> steps{Step{-1, 0}, Step{1, 0}, Step{0, -1}, Step{0, 1}};
        return steps[index(side)];
    }
    static bool due(int iteration, int period) { return period > 0 && iteration % period == 0; }

    void iterate(int iteration) {
        for (int step = 0; step < problem_.dynamics_steps; ++step) {
            exchange_halos();
            timers_.measure(0, [&] { kernel_.advance(); });
        }
        if (problem_.physics_steps > 0) timers_.measure(6, [&] { kernel_.mix_columns(); });
        if (due(iteration, problem_.radiation_every)) timers_.measure(1, [&] { kernel_.radiate(iteration); });
        if (due(iteration, problem_.output_every)) gather_output();
    }

    void exchange_halos() {
        std::array<typename Comm::Request, 8> requests;
        std::size_t count = 0;
        timers_.measure(3, [&] {
            for (const Side side : kSides)
                if (!alone(side))
                    requests[count++] = world_.irecv(kernel_.incoming(side), halo_size(side), neighbour(side),
                                                     static_cast<int>(opposite(side)));
        });
        timers_.measure(2, [&] {
            for (const Side side : kSides) alone(side) ? kernel_.wrap(side) : kernel_.pack(side);
        });
        timers_.measure(3, [&] {
            for (const Side side : kSides)
                if (!alone(side))
                    requests[count++] = world_.isend(kernel_.outgoing(side), halo_size(side), neighbour(side),
                                                     static_cast<int>(side));
            if (count > 0) world_.wait_all(std::span(requests).first(count));
        });
        timers_.measure(2, [&] {
            for (const Side side : kSides)
                if (!alone(side)) kernel_.unpack(side);
        });
    }

    /// Gathers one field at a time, so that rank 0 stores one field of the whole domain, not all.
    void gather_output() {
        for (int field = 0; field < kFields; ++field) {
            timers_.measure(4, [&] { kernel_.pack_output(field); });
            const auto points = static_cast<std::size_t>(piece_.points(problem_.nz));
            timers_.measure(
                5, [&] { world_.gatherv(kernel_.piece(), points, piece_sizes_, kernel_.pieces(), 0); });
            timers_.measure(4, [&] { kernel_.take_output(field); });
        }
        // Outside any phase, because this is no computation with a rate to measure.
        if (problem_.output_seconds > 0.0) kernel_.store_output();
    }

    void sum(const Totals& mine, Totals& all) {
        world_.reduce(Reduction::sum, mine.data(), all.data(), kTotals, 0);
    }

    int neighbour(Side side) const { return neighbours_[index(side)]; }
    bool alone(Side side) const { return neighbour(side) == world_.rank(); }
    std::size_t halo_size(Side side) const {
        const std::int64_t width = step(side).x != 0 ? piece_.y.count : piece_.x.count;
        return static_cast<std::size_t>(kFields * width * problem_.nz);
    }

    Comm& world_;
    K& kernel_;
    Problem problem_;
    Grid grid_;
    Piece piece_;
    Timers& timers_;
    std::array<int, 4> neighbours_{};
    std::vector<int> piece_sizes_;  ///< by rank, on the one that gathers them
};

}  // namespace linkworth::npb::stencil
