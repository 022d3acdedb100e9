// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "benches.hpp"

namespace linkworth::netbench {
namespace {

/// Both ends of one pair and their buffers.
struct Pair {
    MPI_Comm comm;
    int partner;
    bool leads;
    char *out, *in;
};

void answer_each_other(Pair& pair, int bytes, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        if (pair.leads) MPI_Send(pair.out, bytes, MPI_BYTE, pair.partner, kTag, pair.comm);
        MPI_Recv(pair.in, bytes, MPI_BYTE, pair.partner, kTag, pair.comm, MPI_STATUS_IGNORE);
        if (!pair.leads) MPI_Send(pair.out, bytes, MPI_BYTE, pair.partner, kTag, pair.comm);
    }
}

/// Same as above, but every receive is posted before its message can have left.
void answer_posted(Pair& pair, int bytes, std::int64_t count) {
    MPI_Request coming;
    const auto post = [&] { MPI_Irecv(pair.in, bytes, MPI_BYTE, pair.partner, kTag, pair.comm, &coming); };
    if (!pair.leads) post();
    for (std::int64_t i = 0; i < count; ++i) {
        if (pair.leads) {
            post();
            MPI_Send(pair.out, bytes, MPI_BYTE, pair.partner, kTag, pair.comm);
            MPI_Wait(&coming, MPI_STATUS_IGNORE);
        } else {
            MPI_Wait(&coming, MPI_STATUS_IGNORE);
            if (i + 1 < count) post();
            MPI_Send(pair.out, bytes, MPI_BYTE, pair.partner, kTag, pair.comm);
        }
    }
}

void send_at_once(Pair& pair, int bytes, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        MPI_Request both[2];
        MPI_Irecv(pair.in, bytes, MPI_BYTE, pair.partner, kTag, pair.comm, &both[0]);
        MPI_Isend(pair.out, bytes, MPI_BYTE, pair.partner, kTag, pair.comm, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
}

/// Memory of the message sent and of the one received. If they are apart, as in OSU's latency, the sent data
/// stays in the caches of both sides. If they are the same, as in NetPIPE, the received data is sent back, so
/// that it moves between the caches.
enum class Memory { apart, same };

/// Half of the group against the other half; those that are beyond the pairs wait.
void run_pairs(Bench& bench, const Group& group, bool asynchronous, bool bidirectional, Memory memory) {
    const int pairs = group.size / 2;
    const std::size_t longest = bench.longest_size();
    std::vector<char> out(longest, 'a'), in(memory == Memory::apart ? longest : 0, 'b');
    Pair pair{group.comm, group.rank < pairs ? group.rank + pairs : group.rank - pairs, group.rank < pairs,
              out.data(), memory == Memory::apart ? in.data() : out.data()};
    const auto exchange = bidirectional ? send_at_once : asynchronous ? answer_posted : answer_each_other;
    const double times = bidirectional ? 1.0 : 0.5;  // one direction of a round trip
    Sampler sampler(group.comm, bench.limits());
    for (const std::int64_t bytes : bench.settings.sizes) {
        const Summary measured = sampler.measure(
            [&](std::int64_t count) {
                bench.sent(group, pair.partner, static_cast<double>(bytes) * static_cast<double>(count));
                const double before = MPI_Wtime();
                exchange(pair, static_cast<int>(bytes), count);
                return pair.leads ? times * (MPI_Wtime() - before) : 0.0;
            },
            pairs > 1 ? Clock::slowest_rank : Clock::first_rank);
        const double directions = bidirectional ? 2.0 : 1.0;
        bench.row(bytes, "", measured, directions * pairs * static_cast<double>(bytes));
    }
}

}  // namespace

void run_latency(Bench& bench) { run_pairs(bench, bench.group, false, false, Memory::apart); }

void run_pingpong(Bench& bench) {
    // A buffer cannot be sent while a message is received into it.
    const bool at_once = bench.settings.asynchronous || bench.settings.bidirectional;
    run_pairs(bench, bench.group, bench.settings.asynchronous, bench.settings.bidirectional,
              at_once ? Memory::apart : Memory::same);
}

}  // namespace linkworth::netbench
