// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "benches.hpp"

namespace linkworth::netbench {
namespace {

constexpr int kRequestTag = 2;
constexpr int kRequestBytes = 4;

/// The first rank of a group requests a message from each other one, as a client of striped storage does
/// (Phanishayee and others, "Measurement and analysis of TCP throughput collapse in cluster-based storage
/// systems", FAST 2008). Its time from then until all have arrived counts. A barrier would not do: a rank
/// that leaves it late, as ranks on shared cores do, would find messages there.
void run_senders(Bench& bench, const Group& group) {
    const int senders = group.size - 1;
    const bool receives = group.rank == 0;
    const std::size_t longest = bench.longest_size();
    std::vector<char> data(longest * static_cast<std::size_t>(receives ? senders : 1), 'a');
    std::vector<MPI_Request> coming(static_cast<std::size_t>(senders));
    Sampler sampler(group.comm, bench.limits());
    for (const std::int64_t bytes : bench.settings.sizes) {
        const int size = static_cast<int>(bytes);
        const auto once = [&] {
            char request[kRequestBytes] = {};
            if (!receives) {
                MPI_Recv(request, kRequestBytes, MPI_CHAR, 0, kRequestTag, group.comm, MPI_STATUS_IGNORE);
                MPI_Send(data.data(), size, MPI_BYTE, 0, kTag, group.comm);
                return 0.0;
            }
            for (int from = 1; from <= senders; ++from)
                MPI_Irecv(data.data() + static_cast<std::size_t>(from - 1) * longest, size, MPI_BYTE, from,
                          kTag, group.comm, &coming[static_cast<std::size_t>(from - 1)]);
            const double before = MPI_Wtime();
            for (int to = 1; to <= senders; ++to)
                MPI_Send(request, kRequestBytes, MPI_CHAR, to, kRequestTag, group.comm);
            MPI_Waitall(senders, coming.data(), MPI_STATUSES_IGNORE);
            return MPI_Wtime() - before;
        };
        const Summary measured = sampler.measure(
            [&](std::int64_t count) {
                if (!receives) bench.sent(group, 0, static_cast<double>(bytes) * static_cast<double>(count));
                double seconds = 0.0;
                for (std::int64_t i = 0; i < count; ++i) seconds += once();
                return seconds;
            },
            Clock::first_rank);
        bench.row(bytes, std::to_string(senders) + (senders == 1 ? " sender" : " senders"), measured,
                  static_cast<double>(bytes) * senders);
    }
}

}  // namespace

void run_incast(Bench& bench) {
    const int most = bench.group.size - 1;
    for (int senders = 1; senders <= most;
         senders = senders < most ? std::min(2 * senders, most) : most + 1) {
        std::vector<int> active(static_cast<std::size_t>(senders) + 1);
        std::iota(active.begin(), active.end(), 0);
        const Group group = part_of(bench.group, active);
        if (group.is_member()) run_senders(bench, group);
        wait_asleep(bench.group.comm);
    }
}

}  // namespace linkworth::netbench
