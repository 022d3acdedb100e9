// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../beff_plan.hpp"
#include "../hpcc_plan.hpp"
#include "../json.hpp"
#include "../ring_exchange.hpp"
#include "../rings.hpp"
#include "benches.hpp"

namespace linkworth::netbench {
namespace {

constexpr double kSettleSeconds = 0.3;
constexpr int kSettleExchanges = 64;  // between two looks at the clock
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Seconds of one message, over pairs.
struct PingPongs {
    double least = 0.0, mean = 0.0, most = 0.0;
    double mean_bandwidth = 0.0;  ///< of the pairs' bandwidths, in bytes per second
    std::int64_t pairs = 0;
};

/// Ping-pongs of one pair at a time, with two memories.
class PairBench {
  public:
    PairBench(Bench& bench, const HpccSize& size)
        : bench_(bench),
          size_(size),
          trips_(size.trips),
          out_(static_cast<std::size_t>(size.bytes), 'a'),
          in_(out_.size(), 'b') {}

    /// Measures every pair of a client and a server, in both directions if both ranks are both. The result is
    /// on every rank.
    PingPongs measure(const std::vector<int>& clients, const std::vector<int>& servers) {
        std::vector<double> own(servers.size(), kNever);
        for (int repetition = 0; repetition < size_.ping_pongs; ++repetition)
            for (const int client : clients) {
                for (std::size_t i = 0; i < servers.size(); ++i) {
                    const int rank = bench_.group.rank;
                    if (servers[i] == client) continue;
                    if (rank == client) own[i] = std::min(own[i], ask(servers[i]));
                    if (rank == servers[i]) answer(client);
                }
                MPI_Barrier(bench_.group.comm);
            }
        return summary(own);
    }

  private:
    void send(int to) {
        bench_.sent(bench_.group, to, static_cast<double>(size_.bytes));
        MPI_Send(out_.data(), static_cast<int>(size_.bytes), MPI_BYTE, to, kTag, bench_.group.comm);
    }

    void receive(int from) {
        MPI_Recv(in_.data(), static_cast<int>(size_.bytes), MPI_BYTE, from, kTag, bench_.group.comm,
                 MPI_STATUS_IGNORE);
    }

    /// Returns the seconds of one message. The server first receives the number of trips; none means that it
    /// is over.
    double ask(int server) {
        const auto announce = [&](std::int64_t trips) {
            MPI_Send(&trips, 1, MPI_INT64_T, server, kTag, bench_.group.comm);
        };
        while (true) {
            announce(trips_);
            double started = 0.0;
            for (std::int64_t trip = -1; trip < trips_; ++trip) {
                if (trip == 0) started = MPI_Wtime();
                send(server);
                receive(server);
            }
            const double seconds = MPI_Wtime() - started;
            if (seconds >= kHpccLeastSeconds) {
                announce(0);
                return seconds / (2.0 * static_cast<double>(trips_));
            }
            trips_ = longer_loop(trips_);
        }
    }

    void answer(int client) {
        while (true) {
            std::int64_t trips = 0;
            MPI_Recv(&trips, 1, MPI_INT64_T, client, kTag, bench_.group.comm, MPI_STATUS_IGNORE);
            if (trips == 0) return;
            for (std::int64_t trip = -1; trip < trips; ++trip) {
                receive(client);
                send(client);
            }
        }
    }

    PingPongs summary(const std::vector<double>& own) const {
        std::array<double, 3> sums{};
        std::array<double, 2> extremes{kNever, 0.0};  // the greatest as its reciprocal
        for (const double seconds : own) {
            if (seconds == kNever) continue;
            sums[0] += seconds;
            sums[1] += static_cast<double>(size_.bytes) / seconds;
            sums[2] += 1.0;
            extremes[0] = std::min(extremes[0], seconds);
            extremes[1] = std::max(extremes[1], seconds);
        }
        extremes[1] = -extremes[1];
        MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_DOUBLE, MPI_SUM, bench_.group.comm);
        MPI_Allreduce(MPI_IN_PLACE, extremes.data(), 2, MPI_DOUBLE, MPI_MIN, bench_.group.comm);
        return {extremes[0], sums[0] / sums[2], -extremes[1], sums[1] / sums[2],
                static_cast<std::int64_t>(sums[2])};
    }

    Bench& bench_;
    const HpccSize& size_;
    std::int64_t trips_;
    std::vector<char> out_, in_;
};

PingPongs ping_pongs(Bench& bench, const HpccSize& size) {
    const int ranks = bench.group.size;
    PairBench pairs(bench, size);
    const double first = pairs.measure({0}, {ranks - 1}).mean;
    int stride = pair_stride(ranks, seconds_of_a_pair(size, first), size.pairs_seconds);
    MPI_Bcast(&stride, 1, MPI_INT, 0, bench.group.comm);
    std::vector<int> clients, servers;
    for (int rank = 0; rank < ranks; rank += stride) clients.push_back(rank);
    // Count from the other end, so that neighbours of the clients are not left out for being on their nodes.
    for (int rank = ranks - 1; rank >= 0; rank -= stride) servers.insert(servers.begin(), rank);
    return pairs.measure(clients, servers);
}

/// Seconds of one message of a rank that gives one to each of its neighbours.
struct RingTimes {
    double natural = 0.0;
    double random = 0.0;  ///< geometric mean over the random rings
};

class RingBench {
  public:
    RingBench(Bench& bench, const HpccSize& size)
        : bench_(bench), size_(size), exchanges_(size.exchanges), exchange_(bench.group.comm, size.bytes) {}

    RingTimes measure() {
        const auto patterns = hpcc_rings(bench_.group.size, size_, bench_.settings.seed);
        std::vector<double> own;
        for (int repetition = 0; repetition < size_.rings; ++repetition)
            for (const std::vector<Neighbours>& pattern : patterns)
                own.push_back(once(pattern[static_cast<std::size_t>(bench_.group.rank)]));
        MPI_Allreduce(MPI_IN_PLACE, own.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_MAX,
                      bench_.group.comm);
        std::vector<double> least(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(patterns.size()));
        for (std::size_t i = 0; i < own.size(); ++i)
            least[i % patterns.size()] = std::min(least[i % patterns.size()], own[i]);
        const double natural = least.front();
        least.erase(least.begin());
        return {natural, logarithmic_average(least)};
    }

  private:
    /// The better of the two ways on this rank. The loop that the first way found long enough serves the
    /// second, too.
    double once(const Neighbours& neighbours) {
        double slowest = 0.0, by_sendrecv = 0.0;
        while (true) {
            by_sendrecv = seconds(Method::sendrecv, neighbours);
            MPI_Allreduce(&by_sendrecv, &slowest, 1, MPI_DOUBLE, MPI_MAX, bench_.group.comm);
            if (slowest >= kHpccLeastSeconds) break;
            exchanges_ = longer_loop(exchanges_);
        }
        const double messages = 2.0 * static_cast<double>(exchanges_);
        return std::min(by_sendrecv, seconds(Method::nonblocking, neighbours)) / messages;
    }

    double seconds(Method method, const Neighbours& neighbours) {
        const double volume = static_cast<double>(size_.bytes) * static_cast<double>(exchanges_ + 1);
        bench_.sent(neighbours, volume);
        exchange_.run(method, neighbours, size_.bytes);
        const double started = MPI_Wtime();
        for (std::int64_t i = 0; i < exchanges_; ++i) exchange_.run(method, neighbours, size_.bytes);
        return MPI_Wtime() - started;
    }

    Bench& bench_;
    const HpccSize& size_;
    std::int64_t exchanges_;
    RingExchange exchange_;
};

/// Exchanges small messages until the launcher is quiet, which still works on the same cores when MPI_Init
/// returns. The measurements take a tenth of a second in all, and in HPC Challenge others run before them.
void settle(Bench& bench) {
    const auto natural = hpcc_rings(bench.group.size, kHpccLatency, 0).front();
    const Neighbours own = natural[static_cast<std::size_t>(bench.group.rank)];
    RingExchange exchange(bench.group.comm, kHpccLatency.bytes);
    const double started = MPI_Wtime();
    for (int go_on = 1; go_on;) {
        for (int i = 0; i < kSettleExchanges; ++i) exchange.run(Method::nonblocking, own, kHpccLatency.bytes);
        bench.sent(own, static_cast<double>(kHpccLatency.bytes) * kSettleExchanges);
        go_on = MPI_Wtime() - started < kSettleSeconds;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, bench.group.comm);
    }
}

void row(const Bench& bench, const HpccSize& size, std::string_view label, double seconds, double bandwidth) {
    JsonLine json;
    json.text("kind", "row").count("bytes", size.bytes).text("label", label);
    json.number("latency_seconds", seconds).number("bandwidth_bytes_per_second", bandwidth);
    bench.line(json.line());
}

}  // namespace

/// HPC Challenge's latency and bandwidth, after its published definition (hpcc_plan.hpp). Rows and single
/// figures have the labels and names that linkworth uses for HPC Challenge's own file.
void run_hpcc(Bench& bench) {
    const std::array sizes = kHpccSizes;
    std::array<PingPongs, 2> pairs;
    std::array<RingTimes, 2> ring;
    settle(bench);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto bytes = static_cast<double>(sizes[i].bytes);
        pairs[i] = ping_pongs(bench, sizes[i]);
        row(bench, sizes[i], "ping pong", pairs[i].mean, pairs[i].mean_bandwidth);
        row(bench, sizes[i], "ping pong, slowest pair", pairs[i].most, bytes / pairs[i].most);
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto bytes = static_cast<double>(sizes[i].bytes);
        ring[i] = RingBench(bench, sizes[i]).measure();
        row(bench, sizes[i], "naturally ordered ring", ring[i].natural, bytes / ring[i].natural);
        row(bench, sizes[i], "randomly ordered ring", ring[i].random, bytes / ring[i].random);
    }
    const auto bandwidth = static_cast<double>(kHpccBandwidth.bytes);
    bench.value("min_ping_pong_latency_seconds", pairs[0].least);
    bench.value("avg_ping_pong_latency_seconds", pairs[0].mean);
    bench.value("max_ping_pong_latency_seconds", pairs[0].most);
    bench.value("min_ping_pong_bandwidth_bytes_per_second", bandwidth / pairs[1].most);
    bench.value("avg_ping_pong_bandwidth_bytes_per_second", pairs[1].mean_bandwidth);
    bench.value("max_ping_pong_bandwidth_bytes_per_second", bandwidth / pairs[1].least);
    bench.value("naturally_ordered_ring_latency_seconds", ring[0].natural);
    bench.value("randomly_ordered_ring_latency_seconds", ring[0].random);
    bench.value("naturally_ordered_ring_bandwidth_bytes_per_second", bandwidth / ring[1].natural);
    bench.value("randomly_ordered_ring_bandwidth_bytes_per_second", bandwidth / ring[1].random);
}

}  // namespace linkworth::netbench
