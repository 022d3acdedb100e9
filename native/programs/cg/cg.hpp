// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "../common/communicator.hpp"
#include "../common/phase_timers.hpp"
#include "../common/timed_region.hpp"
#include "reference.hpp"

/// CG: the smallest eigenvalue of a large sparse matrix by inverse iteration, each step solved with 25
/// conjugate gradient steps (NAS-95-020, 3.4).
namespace linkworth::npb::cg {

/// Indices [first, first + count).
struct Range {
    std::int64_t first, count;
};

/// The matrix is in blocks on a grid of `rows` x `columns` ranks, rank r at (r / columns, r % columns);
/// columns = rows or 2 rows. Vectors are cut like the columns, and every rank of a grid column has the same
/// piece.
class Layout {
  public:
    Layout(const Class& problem, int rank, int ranks)
        : order_(problem.order),
          rows_(1 << (std::countr_zero(static_cast<unsigned>(ranks)) / 2)),
          columns_(ranks / rows_),
          row_(rank / columns_),
          column_(rank % columns_) {}

    int columns() const { return columns_; }
    /// World rank at `distance` (a power of two) in this grid row.
    int row_neighbour(int distance) const { return row_ * columns_ + (column_ ^ distance); }
    /// Returns the rank that needs this rank's piece of a row sum, and whose piece this one needs.
    int transpose_partner() const {
        return columns_ == rows_ ? column_ * columns_ + row_
                                 : column_ / 2 * columns_ + 2 * row_ + column_ % 2;
    }

    Range matrix_columns() const { return piece(column_); }
    Range matrix_rows() const {
        if (columns_ == rows_) return piece(row_);
        const Range low = piece(2 * row_), high = piece(2 * row_ + 1);
        return {low.first, low.count + high.count};
    }
    /// Returns whether a grid row is twice as wide as the grid is high: each rank then needs the sum of only
    /// half of its rows.
    bool halved() const { return columns_ != rows_; }
    /// Piece of the rows whose sum this rank forms: all, or its half.
    Range summed_rows() const { return halved() ? piece(2 * row_ + column_ % 2) : piece(row_); }
    Range other_half() const { return piece(2 * row_ + 1 - column_ % 2); }

  private:
    /// Returns a piece. If the order does not divide, the first pieces take one index more.
    Range piece(int index) const {
        const std::int64_t each = order_ / columns_, rest = order_ % columns_;
        return {index * each + std::min<std::int64_t>(index, rest), each + (index < rest ? 1 : 0)};
    }

    std::int64_t order_;
    int rows_, columns_, row_, column_;
};

/// Returns an empty text if the class runs on this many ranks, else one sentence with the counts that work.
inline std::string rank_problem(const Class& problem, int ranks) {
    const auto widest = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(problem.order)));
    if (std::has_single_bit(static_cast<unsigned>(ranks)) && Layout(problem, 0, ranks).columns() <= widest)
        return {};
    return "cg class " + std::string(1, problem.letter) + " runs on powers of two (1, 2, 4, 8, ...) up to " +
           std::to_string(widest * widest) + " ranks, not on " + std::to_string(ranks);
}

/// Arithmetic of CG. Vectors x, z, p, r and q are this rank's pieces; w contains its rows of a product, not
/// yet summed over the grid row. Every sum returned is of this rank's piece.
template <class K>
concept Kernel =
    requires(K kernel, std::int64_t offset, std::int64_t count, double value, double (&norms)[2]) {
        /// x = 1.
        kernel.reset();
        /// z = 0, r = p = x; returns r . r.
        { kernel.start_solve() } -> std::same_as<double>;
        kernel.multiply_direction();                           // w = A p
        kernel.multiply_solution();                            // w = A z
        { kernel.rows(offset) } -> std::same_as<double*>;      // of w
        { kernel.received(offset) } -> std::same_as<double*>;  // buffer as long as w
        { kernel.product() } -> std::same_as<double*>;         // q
        /// w += received, `count` elements from `offset`.
        kernel.add_received(offset, count);
        /// Sets q = w, if both are whole.
        kernel.take_rows();
        { kernel.direction_dot_product() } -> std::same_as<double>;  // p . q
        /// z += alpha p, r -= alpha q; returns r . r.
        { kernel.advance(value) } -> std::same_as<double>;
        kernel.turn(value);                             // p = r + beta p
        { kernel.residual() } -> std::same_as<double>;  // |x - q|^2
        kernel.norms(norms);                            // x . z and z . z
        kernel.normalise(value);                        // x = value z
    };

using Timers = PhaseTimers<5>;
inline constexpr Timers::Names kPhases{"matrix-vector products", "row sums", "transposition", "scalar sums",
                                       "vector updates"};

struct Result {
    double seconds = 0.0;  ///< of the timed region, the slowest rank's; on rank 0
    double zeta = 0.0;
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
          timers_(timers) {}

    Result operator()() {
        kernel_.reset();
        iterate();
        kernel_.reset();
        timers_.reset();
        world_.barrier();

        Result result;
        const double elapsed = timed_region(world_, [&] {
            repeat(world_, problem_.iterations, result.iteration_seconds,
                   [&](int) { result.zeta = iterate(); });
        });

        world_.reduce(Reduction::max, &elapsed, &result.seconds, 1, 0);
        return result;
    }

  private:
    static constexpr int kTag = 1;

    /// One outer iteration; returns zeta.
    double iterate() {
        solve();
        double norms[2] = {1.0, 1.0};
        timers_.measure(4, [&] { kernel_.norms(norms); });
        sum_over_row(norms, 2);
        timers_.measure(4, [&] { kernel_.normalise(1.0 / std::sqrt(norms[1])); });
        return problem_.shift + 1.0 / norms[0];
    }

    /// Conjugate gradients for A z = x.
    void solve() {
        double rho = summed([&] { return kernel_.start_solve(); });
        for (int step = 0; step < kInnerIterations; ++step) {
            timers_.measure(0, [&] { kernel_.multiply_direction(); });
            finish_product();
            const double alpha = rho / summed([&] { return kernel_.direction_dot_product(); });
            const double previous = rho;
            rho = summed([&] { return kernel_.advance(alpha); });
            timers_.measure(4, [&] { kernel_.turn(rho / previous); });
        }
        timers_.measure(0, [&] { kernel_.multiply_solution(); });
        finish_product();
        summed([&] { return kernel_.residual(); });  // part of the benchmark, verified through zeta
    }

    /// Sums w over the grid row, then brings each rank its piece of the product.
    void finish_product() {
        if (layout_.columns() == 1) return kernel_.take_rows();
        const Range rows = layout_.matrix_rows(), mine = layout_.summed_rows();
        const std::int64_t offset = mine.first - rows.first;
        timers_.measure(1, [&] {
            for (int distance = 1; distance < layout_.columns(); distance *= 2) {
                const bool give_away = layout_.halved() && distance == 1;
                const Range sent = give_away ? layout_.other_half() : mine;
                exchange(layout_.row_neighbour(distance), kernel_.rows(sent.first - rows.first), sent.count,
                         kernel_.received(offset), mine.count);
                kernel_.add_received(offset, mine.count);
            }
        });
        timers_.measure(2, [&] {
            exchange(layout_.transpose_partner(), kernel_.rows(offset), mine.count, kernel_.product(),
                     layout_.matrix_columns().count);
        });
    }

    template <class Part>
    double summed(Part&& part) {
        double value = 1.0;
        timers_.measure(4, [&] { value = part(); });
        sum_over_row(&value, 1);
        return value;
    }

    void sum_over_row(double* values, std::size_t count) {
        timers_.measure(3, [&] {
            for (int distance = layout_.columns() / 2; distance > 0; distance /= 2) {
                double theirs[2] = {0.0, 0.0};
                exchange(layout_.row_neighbour(distance), values, static_cast<std::int64_t>(count), theirs,
                         static_cast<std::int64_t>(count));
                for (std::size_t i = 0; i < count; ++i) values[i] += theirs[i];
            }
        });
    }

    void exchange(int partner, const double* out, std::int64_t out_count, double* in, std::int64_t in_count) {
        auto request = world_.irecv(in, static_cast<std::size_t>(in_count), partner, kTag);
        world_.send(out, static_cast<std::size_t>(out_count), partner, kTag);
        world_.wait(request);
    }

    Comm& world_;
    K& kernel_;
    Class problem_;
    Layout layout_;
    Timers& timers_;
};

/// `make_kernel(layout, use)` makes the arithmetic with its matrix and returns use(kernel). `timers_on`: rank
/// 0's word counts.
template <Communicator Comm, class MakeKernel>
Result run(Comm& world, const Class& problem, int timers_on, Timers& timers, MakeKernel&& make_kernel) {
    world.broadcast(&timers_on, 1, 0);
    return make_kernel(Layout(problem, world.rank(), world.size()),
                       [&](auto& kernel) { return Run(world, kernel, problem, timers)(); });
}

}  // namespace linkworth::npb::cg
