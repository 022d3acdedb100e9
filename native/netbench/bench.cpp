// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <cstdio>

#include "json.hpp"

namespace linkworth::netbench {

void Bench::line(const std::string& json) const {
    if (!speaks()) return;
    std::fputs(json.c_str(), stdout);
    std::fflush(stdout);
}

void Bench::row(std::int64_t bytes, std::string_view label, const Measurement& measured,
                double bytes_moved) const {
    if (!speaks()) return;
    const Summary& summary = measured.summary;
    JsonLine json;
    json.text("kind", "row")
        .count("bytes", bytes)
        .text("label", label)
        .number("latency_seconds", summary.mean);
    if (bytes_moved > 0.0) json.number("bandwidth_bytes_per_second", bytes_moved / summary.mean);
    json.count("samples", static_cast<std::int64_t>(summary.samples))
        .count("operations_per_sample", measured.operations_per_sample)
        .number("mean", summary.mean)
        .number("median", summary.median)
        .number("deviation", summary.deviation)
        .number("minimum", summary.minimum)
        .number("p99", summary.p99)
        .number("confidence_half_width", summary.half_width)
        .count("outliers", static_cast<std::int64_t>(summary.outliers));
    if (summary.drift_is_significant) json.number("drift", summary.drift);
    line(json.line());
}

void Bench::value(std::string_view name, double value) const {
    line(JsonLine().text("kind", "value").text("name", name).number("value", value).line());
}

void Bench::warning(std::string_view sentence) const {
    line(JsonLine().text("kind", "warning").text("text", sentence).line());
}

}  // namespace linkworth::netbench
