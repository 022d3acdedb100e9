// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <unistd.h>

#include <cstdio>

#include "json.hpp"

namespace linkworth::netbench {

double Bench::memory_of_a_rank() const {
    int ranks = 0;
    for (int rank = 0; rank < group.size; ++rank) ranks += !group.crosses(0, rank);
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) / ranks;
}

void Bench::line(const std::string& json) const {
    if (!speaks()) return;
    std::fputs(json.c_str(), stdout);
    std::fflush(stdout);
}

void Bench::row(std::int64_t bytes, std::string_view label, const Summary& measured,
                double bytes_moved) const {
    if (!speaks()) return;
    JsonLine json;
    json.text("kind", "row")
        .count("bytes", bytes)
        .text("label", label)
        .number("latency_seconds", measured.mean);
    if (bytes_moved > 0.0) json.number("bandwidth_bytes_per_second", bytes_moved / measured.mean);
    json.count("samples", static_cast<std::int64_t>(measured.samples))
        .number("mean", measured.mean)
        .number("median", measured.median)
        .number("deviation", measured.deviation)
        .number("minimum", measured.minimum)
        .number("p99", measured.p99)
        .number("confidence_half_width", measured.half_width)
        .count("outliers", static_cast<std::int64_t>(measured.outliers));
    if (measured.drift_is_significant) json.number("drift", measured.drift);
    line(json.line());
}

void Bench::value(std::string_view name, double value) const {
    line(JsonLine().text("kind", "value").text("name", name).number("value", value).line());
}

void Bench::warning(std::string_view sentence) const {
    line(JsonLine().text("kind", "warning").text("text", sentence).line());
}

}  // namespace linkworth::netbench
