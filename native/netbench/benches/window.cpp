// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "benches.hpp"

namespace linkworth::netbench {
namespace {

constexpr int kAnswerTag = 2;
constexpr int kAnswerBytes = 4;

/// The messages of a window share one buffer at each end, as in the OSU benchmarks.
struct Window {
    MPI_Comm comm;
    int partner;
    std::vector<char> out, in;
    std::vector<MPI_Request> leaving, coming;

    Window(MPI_Comm comm, int partner, std::size_t longest, int messages)
        : comm(comm),
          partner(partner),
          out(longest, 'a'),
          in(longest, 'b'),
          leaving(static_cast<std::size_t>(messages)),
          coming(static_cast<std::size_t>(messages)) {}

    void post(int bytes) {
        for (MPI_Request& request : coming)
            MPI_Irecv(in.data(), bytes, MPI_BYTE, partner, kTag, comm, &request);
    }
    void send(int bytes) {
        for (MPI_Request& request : leaving)
            MPI_Isend(out.data(), bytes, MPI_BYTE, partner, kTag, comm, &request);
    }
    static void wait(std::vector<MPI_Request>& requests) {
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
};

void one_way(Window& window, int bytes, bool sends) {
    char answer[kAnswerBytes] = {};
    if (sends) {
        window.send(bytes);
        Window::wait(window.leaving);
        MPI_Recv(answer, kAnswerBytes, MPI_CHAR, window.partner, kAnswerTag, window.comm, MPI_STATUS_IGNORE);
    } else {
        window.post(bytes);
        Window::wait(window.coming);
        MPI_Send(answer, kAnswerBytes, MPI_CHAR, window.partner, kAnswerTag, window.comm);
    }
}

void both_ways(Window& window, int bytes) {
    window.post(bytes);
    window.send(bytes);
    Window::wait(window.leaving);
    Window::wait(window.coming);
}

/// The first half of a group's ranks send to the second half. A row's latency is the time of one message of
/// the window.
void run_windows(Bench& bench, const Group& group, bool bidirectional, const std::string& label) {
    const int pairs = group.size / 2;
    const bool sends = group.rank < pairs;
    const int messages = bench.settings.window;
    Window window(group.comm, sends ? group.rank + pairs : group.rank - pairs, bench.longest_size(),
                  messages);
    Sampler sampler(group.comm, bench.limits());
    for (const std::int64_t bytes : bench.settings.sizes) {
        const int size = static_cast<int>(bytes);
        const Summary measured = sampler.measure(
            [&](std::int64_t count) {
                if (sends || bidirectional)
                    bench.sent(group, window.partner,
                               static_cast<double>(bytes * messages) * static_cast<double>(count));
                const double before = MPI_Wtime();
                for (std::int64_t i = 0; i < count; ++i)
                    if (bidirectional)
                        both_ways(window, size);
                    else
                        one_way(window, size, sends);
                return sends ? (MPI_Wtime() - before) / messages : 0.0;
            },
            pairs > 1 ? Clock::slowest_rank : Clock::first_rank);
        bench.row(bytes, label, measured, (bidirectional ? 2.0 : 1.0) * pairs * static_cast<double>(bytes));
    }
}

}  // namespace

void run_bandwidth(Bench& bench) { run_windows(bench, bench.group, false, ""); }

void run_bibandwidth(Bench& bench) { run_windows(bench, bench.group, true, ""); }

void run_multipair(Bench& bench) {
    const int most = bench.group.size / 2;
    for (int pairs = 1; pairs <= most; pairs = pairs < most ? std::min(2 * pairs, most) : most + 1) {
        std::vector<int> active(static_cast<std::size_t>(2 * pairs));
        std::iota(active.begin(), active.begin() + pairs, 0);
        std::iota(active.begin() + pairs, active.end(), most);
        const Group group = part_of(bench.group, active);
        if (group.is_member())
            run_windows(bench, group, false, std::to_string(pairs) + (pairs == 1 ? " pair" : " pairs"));
        wait_asleep(bench.group.comm);
    }
}

}  // namespace linkworth::netbench
