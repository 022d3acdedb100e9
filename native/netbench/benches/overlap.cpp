// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "../json.hpp"
#include "../work.hpp"
#include "benches.hpp"

namespace linkworth::netbench {
namespace {

constexpr std::int64_t kCalibrationSteps = 1 << 20;

/// Steps of `compute` in a second, by the fastest of some tries.
double compute_speed() {
    double least = INFINITY;
    for (int i = 0; i < 5; ++i) {
        const double before = MPI_Wtime();
        compute(kCalibrationSteps);
        least = std::min(least, MPI_Wtime() - before);
    }
    return static_cast<double>(kCalibrationSteps) / least;
}

}  // namespace

/// Each of two ranks sends and receives one message: alone, then with computation of the same duration
/// between the start and the wait. The time that the two together save over one after the other was hidden.
void run_overlap(Bench& bench) {
    const Group& group = bench.group;
    const int partner = 1 - group.rank;
    std::vector<char> out(bench.longest_size(), 'a'), in(out.size(), 'b');
    Sampler sampler(group.comm, bench.limits());
    const double speed = compute_speed();
    for (const std::int64_t bytes : bench.settings.sizes) {
        const auto measure = [&](bool transfers, std::int64_t steps) {
            return sampler.measure(
                [&](std::int64_t count) {
                    if (transfers)
                        bench.sent(group, partner, static_cast<double>(bytes) * static_cast<double>(count));
                    const double before = MPI_Wtime();
                    for (std::int64_t i = 0; i < count; ++i) {
                        MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
                        if (transfers) {
                            MPI_Irecv(in.data(), static_cast<int>(bytes), MPI_BYTE, partner, kTag, group.comm,
                                      &both[0]);
                            MPI_Isend(out.data(), static_cast<int>(bytes), MPI_BYTE, partner, kTag,
                                      group.comm, &both[1]);
                        }
                        if (steps > 0) compute(steps);
                        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
                    }
                    return MPI_Wtime() - before;
                },
                Clock::slowest_rank);
        };
        const Summary transfer = measure(true, 0);
        auto steps = static_cast<std::int64_t>(std::max(1.0, transfer.median * speed));
        MPI_Bcast(&steps, 1, MPI_INT64_T, 0, group.comm);
        const Summary computation = measure(false, steps);
        const Summary together = measure(true, steps);
        bench.row(bytes, "transfer", transfer, 2.0 * static_cast<double>(bytes));
        bench.row(bytes, "computation", computation, 0.0);
        bench.row(bytes, "both at once", together, 0.0);
        const double alone = transfer.median, work = computation.median;
        const double hidden = (alone + work - together.median) / std::min(alone, work);
        bench.line(JsonLine()
                       .text("kind", "overlap")
                       .count("bytes", bytes)
                       .number("share", std::clamp(hidden, 0.0, 1.0))
                       .line());
    }
}

}  // namespace linkworth::netbench
