// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cstdlib>
#include <string>

#include "print.hpp"
#include "version.hpp"

namespace linkworth::npb {
namespace {

std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return result;
}

std::string capitalised(std::string_view text) {
    std::string result(text);
    result[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(result[0])));
    return result;
}

std::string decimal(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string grid(const std::vector<std::int64_t>& size) {
    std::string text;
    char number[24];
    for (const std::int64_t extent : size) {
        std::snprintf(number, sizeof number, size.size() > 1 ? "%4lld" : "%lld",
                      static_cast<long long>(extent));
        if (!text.empty()) text += 'x';
        text += number;
    }
    return text;
}

/// Lines for the program that started this one and reads them (linkworth.measure.iterations); short enough
/// for any pipe.
void print_iterations(std::FILE* stream, const std::vector<double>& seconds) {
    constexpr std::size_t kOnOneLine = 64;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        if (i % kOnOneLine == 0) std::fputs(i ? "\nlinkworth-iterations:" : "linkworth-iterations:", stream);
        std::fprintf(stream, " %.9g", seconds[i]);
    }
    if (!seconds.empty()) std::fputs("\n", stream);
}

}  // namespace

void print_block(std::FILE* stream, const Outcome& outcome) {
    const std::string name = upper(outcome.program);
    const double rate = outcome.seconds > 0 ? outcome.mega_operations / outcome.seconds : 0.0;
    const auto line = [&](const char* label, const std::string& value) {
        std::fprintf(stream, " %-16s= %24s\n", label, value.c_str());
    };
    const bool has_class = outcome.letter != Outcome::kNoClass;
    std::fprintf(stream, "\n\n %s -- %s Benchmark\n\n",
                 has_class ? "NAS Parallel Benchmarks (linkworth)" : "linkworth", name.c_str());
    for (const Check& check : outcome.checks)
        std::fprintf(stream, " %-20s %24.15e   reference %24.15e   relative error %10.3e\n",
                     check.name.c_str(), check.value, check.reference, check.relative_error);
    for (const Figure& figure : outcome.figures)
        std::fprintf(stream, " %-20s %24.15e\n", std::string(figure.name).c_str(), figure.value);
    std::fprintf(stream, "\n\n %s Benchmark Completed.\n", name.c_str());
    if (has_class) line("Class", std::string(1, outcome.letter));
    for (const Figure& parameter : outcome.parameters)
        line(capitalised(parameter.name).c_str(), decimal(parameter.value, 0));
    line("Size", grid(outcome.size));
    line("Iterations", std::to_string(outcome.iterations));
    line("Time in seconds", decimal(outcome.seconds, 6));
    line("Total processes", std::to_string(outcome.ranks));
    line("Active processes", std::to_string(outcome.ranks));
    line("Mop/s total", decimal(rate, 2));
    line("Mop/s/process", decimal(rate / outcome.ranks, 2));
    line("Operation type", std::string(outcome.operation));
    line("Verification", verified(outcome) ? "SUCCESSFUL" : "UNSUCCESSFUL");
    line("Version", kVersion);
    if (!outcome.phases.empty()) {
        std::fprintf(stream, "\n %-24s %16s %16s\n", "Phase", "mean seconds", "longest");
        for (const PhaseTime& phase : outcome.phases)
            std::fprintf(stream, " %-24.*s %16.6f %16.6f\n", static_cast<int>(phase.name.size()),
                         phase.name.data(), phase.mean_seconds, phase.longest_seconds);
        std::fprintf(stream, " Peak memory of the largest rank: %.1f MiB\n",
                     outcome.peak_memory_bytes / 1048576.0);
    }
    if (std::getenv("LINKWORTH_ITERATIONS")) print_iterations(stream, outcome.iteration_seconds);
    std::fflush(stream);
}

}  // namespace linkworth::npb
