// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../beff_plan.hpp"
#include "../json.hpp"
#include "../ring_exchange.hpp"
#include "benches.hpp"

namespace linkworth::netbench {
namespace {

constexpr int kRepetitions = 3;
constexpr double kLongSeconds =
    60.0;  // a length that would take longer is measured by its fastest method, once

/// One pattern: its partners, and what the previous length showed about it.
struct Pattern {
    std::vector<Neighbours> neighbours;
    int same_as = -1;  ///< an earlier ring pattern with the same rings (few ranks): measured once, averaged
                       ///< as often as defined
    std::int64_t loops = kMostBeffLoops;
    Method fastest = Method::nonblocking;
    double exchange_seconds = 0.0;
};

std::vector<Pattern> make_patterns(int ranks, bool random, std::uint64_t seed) {
    std::vector<Pattern> patterns;
    for (std::vector<Neighbours>& neighbours : beff_patterns(ranks, random, seed)) {
        Pattern pattern;
        pattern.neighbours = std::move(neighbours);
        for (std::size_t i = 0; i < patterns.size() && pattern.same_as < 0; ++i)
            if (patterns[i].neighbours == pattern.neighbours) pattern.same_as = static_cast<int>(i);
        patterns.push_back(std::move(pattern));
    }
    return patterns;
}

class Beff {
  public:
    Beff(Bench& bench, std::vector<std::int64_t> lengths)
        : bench_(bench),
          lengths_(std::move(lengths)),
          exchange_(bench.group.comm, *std::max_element(lengths_.begin(), lengths_.end())) {}

    /// Bytes per second by pattern and length, the same on every rank; prints a row for each length.
    Bandwidths measure(std::vector<Pattern> patterns, const std::string& label) {
        Bandwidths result(patterns.size());
        for (std::size_t at = 0; at < lengths_.size(); ++at) {
            const bool brief = takes_long(patterns, at);
            std::vector<double> all;
            int samples = 0;
            for (std::size_t p = 0; p < patterns.size(); ++p) {
                if (patterns[p].same_as >= 0) {
                    all.push_back(all[static_cast<std::size_t>(patterns[p].same_as)]);
                } else {
                    all.push_back(pattern_bandwidth(patterns[p], at, brief));
                    samples += brief ? 1 : kRepetitions * static_cast<int>(bench_.settings.methods.size());
                }
                result[p].push_back(all.back());
            }
            print(label, lengths_[at], logarithmic_average(all), samples);
        }
        return result;
    }

  private:
    /// The best of all methods and repetitions.
    double pattern_bandwidth(Pattern& pattern, std::size_t at, bool brief) {
        double best = INFINITY;
        Method fastest = pattern.fastest;
        for (int repetition = 0; repetition < (brief ? 1 : kRepetitions); ++repetition)
            for (const Method method : bench_.settings.methods) {
                if (brief && method != pattern.fastest) continue;
                const double seconds = exchange_seconds(pattern, method, at);
                if (seconds >= best) continue;
                best = seconds;
                fastest = method;
            }
        pattern.fastest = fastest;
        pattern.exchange_seconds = best;
        const double growth = at + 1 < lengths_.size()
                                  ? static_cast<double>(lengths_[at + 1]) / static_cast<double>(lengths_[at])
                                  : 1.0;
        pattern.loops = beff_loops(best, growth);
        return messages() * static_cast<double>(lengths_[at]) / best;
    }

    /// Time of one exchange on the slowest rank, known to all.
    double exchange_seconds(const Pattern& pattern, Method method, std::size_t at) {
        const Neighbours& neighbours = pattern.neighbours[static_cast<std::size_t>(bench_.group.rank)];
        const std::int64_t bytes = lengths_[at];
        const bool warms_up = !bench_.settings.sizes.empty() || beff_warms_up(at, lengths_.size());
        const auto volume = static_cast<double>(bytes) * static_cast<double>(pattern.loops + warms_up);
        bench_.sent(neighbours, volume);
        MPI_Barrier(bench_.group.comm);
        if (warms_up) exchange_.run(method, neighbours, bytes);
        const double before = MPI_Wtime();
        for (std::int64_t i = 0; i < pattern.loops; ++i) exchange_.run(method, neighbours, bytes);
        const double own = MPI_Wtime() - before;
        double slowest = 0.0;
        MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, bench_.group.comm);
        return std::max(slowest, 1e-9) / static_cast<double>(pattern.loops);
    }

    bool takes_long(const std::vector<Pattern>& patterns, std::size_t at) const {
        if (at == 0) return false;
        const double growth = static_cast<double>(lengths_[at]) / static_cast<double>(lengths_[at - 1]);
        double seconds = 0.0;
        for (const Pattern& pattern : patterns)
            if (pattern.same_as < 0)
                seconds += pattern.exchange_seconds * growth * static_cast<double>(pattern.loops) *
                           kRepetitions * static_cast<double>(bench_.settings.methods.size());
        return seconds > kLongSeconds;
    }

    /// All messages of one exchange: two of each rank.
    double messages() const { return 2.0 * bench_.group.size; }

    void print(const std::string& label, std::int64_t bytes, double bandwidth, int samples) const {
        bench_.line(JsonLine()
                        .text("kind", "row")
                        .count("bytes", bytes)
                        .text("label", label)
                        .number("latency_seconds", messages() * static_cast<double>(bytes) / bandwidth)
                        .number("bandwidth_bytes_per_second", bandwidth)
                        .count("samples", samples)
                        .line());
    }

    Bench& bench_;
    std::vector<std::int64_t> lengths_;
    RingExchange exchange_;
};

std::int64_t longest_message(const Bench& bench) {
    if (bench.settings.longest > 0) return bench.settings.longest;
    std::int64_t longest = beff_longest(bench.memory_of_a_rank());
    MPI_Bcast(&longest, 1, MPI_INT64_T, 0, bench.group.comm);
    return longest;
}

}  // namespace

/// The effective bandwidth after Koniges, Rabenseifner and Solchenbach (IPDPS 2001 workshops) and its page at
/// HLRS. A row's bandwidth is of all ranks together, averaged logarithmically over the patterns; its latency
/// is the time of one exchange.
void run_beff(Bench& bench) {
    const bool as_published = bench.settings.sizes.empty();
    const std::vector<std::int64_t> lengths =
        as_published ? beff_lengths(longest_message(bench)) : bench.settings.sizes;
    Beff beff(bench, lengths);
    const int ranks = bench.group.size;
    const Bandwidths ring = beff.measure(make_patterns(ranks, false, 0), "rings");
    const Bandwidths random = beff.measure(make_patterns(ranks, true, bench.settings.seed), "random");
    const auto last = [](const Bandwidths& patterns) {
        std::vector<double> values;
        for (const std::vector<double>& lengths : patterns) values.push_back(lengths.back());
        return logarithmic_average(values);
    };
    const double whole = effective_bandwidth(ring, random);
    if (bench.settings.methods.size() < kMethods.size())
        bench.warning(
            "not all three methods of b_eff's definition: its value is comparable with its like only");
    if (!as_published)
        bench.warning(
            "the sizes are not the 21 of b_eff's definition: its value is comparable with its like only");
    bench.value("beff_bytes_per_second", whole);
    bench.value("beff_per_rank_bytes_per_second", whole / ranks);
    bench.value("rings_bytes_per_second", pattern_average(ring));
    bench.value("random_bytes_per_second", pattern_average(random));
    bench.value("beff_at_longest_bytes_per_second",
                logarithmic_average(std::array{last(ring), last(random)}));
    bench.value("longest_bytes", static_cast<double>(lengths.back()));
}

}  // namespace linkworth::netbench
