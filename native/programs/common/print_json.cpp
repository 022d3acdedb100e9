// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "print.hpp"
#include "version.hpp"

namespace linkworth::npb {
namespace {

/// Every string here is a name of ours, free of characters that JSON escapes.
std::string quoted(std::string_view text) {
    std::string result(1, '"');
    result += text;
    result += '"';
    return result;
}

std::string number(double value) {
    if (!std::isfinite(value)) return "null";
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

template <class Items, class Write>
std::string list(const Items& items, Write write) {
    std::string text = "[";
    for (const auto& item : items) {
        if (text.size() > 1) text += ',';
        text += write(item);
    }
    text += ']';
    return text;
}

using Fields = std::vector<std::pair<std::string_view, std::string>>;

std::string object(const Fields& fields) {
    std::string text = "{";
    for (const auto& [name, value] : fields) {
        if (text.size() > 1) text += ',';
        text += quoted(name);
        text += ':';
        text += value;
    }
    text += '}';
    return text;
}

/// The names as keys: "load balance" becomes load_balance.
std::string figures(const std::vector<Figure>& values) {
    std::vector<std::string> keys;
    for (const Figure& figure : values) {
        keys.emplace_back(figure.name);
        std::replace(keys.back().begin(), keys.back().end(), ' ', '_');
    }
    Fields fields;
    for (std::size_t i = 0; i < values.size(); ++i) fields.emplace_back(keys[i], number(values[i].value));
    return object(fields);
}

}  // namespace

void print_json(std::FILE* stream, const Outcome& outcome) {
    const double rate = outcome.seconds > 0 ? outcome.mega_operations / outcome.seconds : 0.0;
    Fields fields{
        {"schema", quoted("linkworth.npb/1")},
        {"program", quoted(outcome.program)},
        {"class",
         outcome.letter == Outcome::kNoClass ? std::string("null") : quoted(std::string(1, outcome.letter))},
        {"size", list(outcome.size, [](std::int64_t extent) { return std::to_string(extent); })},
        {"iterations", std::to_string(outcome.iterations)},
        {"seconds", number(outcome.seconds)},
        {"ranks", std::to_string(outcome.ranks)},
        {"active_ranks", std::to_string(outcome.ranks)},
        {"mops_total", number(rate)},
        {"mops_per_rank", number(rate / outcome.ranks)},
        {"operation", quoted(outcome.operation)},
        {"verified", verified(outcome) ? "true" : "false"},
        {"tolerance", number(outcome.tolerance)},
        {"checks", list(outcome.checks,
                        [](const Check& check) {
                            return object({{"name", quoted(check.name)},
                                           {"value", number(check.value)},
                                           {"reference", number(check.reference)},
                                           {"relative_error", number(check.relative_error)}});
                        })},
        {"iteration_seconds", list(outcome.iteration_seconds, number)},
        {"phases", list(outcome.phases,
                        [](const PhaseTime& phase) {
                            return object({{"name", quoted(phase.name)},
                                           {"mean_seconds", number(phase.mean_seconds)},
                                           {"longest_seconds", number(phase.longest_seconds)}});
                        })},
        {"peak_memory_bytes",
         outcome.peak_memory_bytes > 0 ? std::to_string(outcome.peak_memory_bytes) : std::string("null")},
        {"version", quoted(kVersion)},
    };
    if (!outcome.parameters.empty()) fields.emplace_back("parameters", figures(outcome.parameters));
    if (!outcome.figures.empty()) fields.emplace_back("figures", figures(outcome.figures));
    std::fprintf(stream, "%s\n", object(fields).c_str());
    std::fflush(stream);
}

}  // namespace linkworth::npb
