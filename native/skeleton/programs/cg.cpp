// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/cg/cg.hpp"

#include <algorithm>
#include <cmath>

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton::cg {
namespace {

using namespace npb::cg;

/// Counts floating point operations.
class CountingKernel {
  public:
    CountingKernel(Work& work, const Class& problem, const Layout& layout)
        : work_(work),
          size_(static_cast<double>(layout.matrix_columns().count)),
          product_operations_(2.0 * nonzeros(problem, layout)),
          product_bytes_(bytes_moved(product_operations_ / 2.0, kNumberBytes * size_, work.cache_bytes())) {}

    void reset() {}
    double start_solve() { return counted(2.0 * size_); }
    void multiply_direction() { multiply(); }
    void multiply_solution() { multiply(); }
    double* rows(std::int64_t) { return nullptr; }
    double* received(std::int64_t) { return nullptr; }
    double* product() { return nullptr; }
    void add_received(std::int64_t, std::int64_t count) { work_.count(static_cast<double>(count)); }
    void take_rows() {}
    double direction_dot_product() { return counted(2.0 * size_); }
    double advance(double) { return counted(6.0 * size_); }
    void turn(double) { work_.count(2.0 * size_); }
    double residual() { return counted(3.0 * size_); }
    void norms(double (&)[2]) { work_.count(4.0 * size_); }
    void normalise(double) { work_.count(size_); }

  private:
    /// A sparse vector of m random elements and its own one gives (m + 1)^2 products. Of these, m + 1 are on
    /// the matrix's diagonal, where all vectors' coincide. The others are spread evenly. They so seldom share
    /// a place that this is left out (0.5 % in class A).
    static double nonzeros(const Class& problem, const Layout& layout) {
        const Range rows = layout.matrix_rows(), columns = layout.matrix_columns();
        const double m = problem.nonzeros_per_vector;
        const auto block = static_cast<double>(rows.count) * static_cast<double>(columns.count);
        const std::int64_t diagonal = std::min(rows.first + rows.count, columns.first + columns.count) -
                                      std::max(rows.first, columns.first);
        return m * (m + 1) * block / static_cast<double>(problem.order) +
               static_cast<double>(std::max<std::int64_t>(diagonal, 0));
    }
    void multiply() {
        work_.count(product_operations_);
        work_.move(product_bytes_, kElementBytes * product_operations_ / 2.0);
    }
    /// Bytes that a product reads from memory: the matrix, and lines of the vector that the matrix drove out
    /// of the cache. The least recently used lines leave it, so a line stays for as many accesses as fill the
    /// cache (Che, Tung and Wang, IEEE JSAC 20(7), 2002). Elements are at random places of the vector.
    static double bytes_moved(double elements, double vector_bytes, double cache_bytes) {
        const double lines = vector_bytes / Work::kLineBytes;
        const auto filled = [&](double turns) {  // turns: accesses over lines
            return vector_bytes * (1.0 - std::exp(-turns)) + kElementBytes * lines * turns;
        };
        double turns = 0.0;
        for (double step = 64.0; step > 1e-6; step /= 2.0)
            if (filled(turns + step) < cache_bytes) turns += step;
        return elements * (kElementBytes + Work::kLineBytes * std::exp(-turns));
    }
    static constexpr double kNumberBytes = sizeof(double);
    static constexpr double kElementBytes = sizeof(double) + sizeof(std::int32_t);  ///< and its column

    double counted(double operations) {
        work_.count(operations);
        return 1.0;
    }

    Work& work_;
    double size_;  ///< of this rank's piece of a vector
    double product_operations_, product_bytes_;
};
static_assert(Kernel<CountingKernel>);

void check(Arguments arguments, int ranks) {
    refuse_if(rank_problem(class_of("cg", kClasses, arguments), ranks));
}

void record(Arguments arguments, RecordingCommunicator& world, Work& work) {
    const Class& problem = class_of("cg", kClasses, arguments);
    Timers timers(kPhases, work);
    run(world, problem, 0, timers, [&](const Layout& layout, auto&& use) {
        CountingKernel kernel(work, problem, layout);
        return use(kernel);
    });
}

}  // namespace

Skeleton entry() { return {"cg", kPhases, check, record}; }

}  // namespace linkworth::skeleton::cg
