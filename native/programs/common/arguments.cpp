// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace linkworth::npb {
namespace {

/// The midpoint rule's own error, 1 / (12 points^2), is below 1e-13 from this many on.
constexpr std::int64_t kFewestSummed = 1'000'000;
/// Elements and displacements of MPI_Gatherv are ints.
constexpr std::int64_t kMostPoints = std::numeric_limits<int>::max();

/// Three numbers between x's.
bool parse_points(const std::string& text, std::array<std::int64_t*, 3> numbers) {
    const char* next = text.data();
    const char* const end = next + text.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0 && (next == end || *next++ != 'x')) return false;
        const auto [stop, error] = std::from_chars(next, end, *numbers[i]);
        if (error != std::errc{} || *numbers[i] > kMostPoints) return false;
        next = stop;
    }
    return next == end;
}

int int_option(const Options& options, std::string_view name, int fallback, int least) {
    const std::int64_t value = options.whole_number(name, fallback, least);
    constexpr int most = std::numeric_limits<int>::max();
    if (value > most)
        throw UsageError(std::string(name) + ": give at most " + std::to_string(most) + ", not " +
                         std::to_string(value));
    return static_cast<int>(value);
}

}  // namespace

void check_options(std::span<const OptionText> known, const Options& options) {
    std::string names;
    for (const OptionText& option : known) names += std::string(option.name) + ", ";
    for (const Setting& setting : options.settings) {
        const auto same = [&](const OptionText& option) { return option.name == setting.name; };
        if (std::none_of(known.begin(), known.end(), same))
            throw UsageError("unknown option '" + setting.name + "'; the options are " + names +
                             "--json, --timers and --help");
    }
}

imbalance::Problem imbalance_problem(const Options& options) {
    const char level = options.argument.size() == 1 ? options.argument[0] : '0';
    if (level < '1' || level > '0' + imbalance::kLevels)
        throw UsageError("imbalance: the level is a whole number from 1 (even) to " +
                         std::to_string(imbalance::kLevels) + " (all on one rank), not '" + options.argument +
                         "'");
    return {level - '0', options.whole_number("--operations", imbalance::kDefaultPoints, kFewestSummed)};
}

stencil::Problem stencil_problem(const Options& options) {
    stencil::Problem problem = options.argument == "wrf" ? stencil::wrf() : stencil::Problem{};
    const auto complaint = [&](const std::string& what) {
        return UsageError("stencil: give points as in 100x126x37, default or wrf, " + what + ", not '" +
                          options.argument + "'");
    };
    if (options.argument != "default" && options.argument != "wrf" &&
        !parse_points(options.argument, {&problem.nx, &problem.ny, &problem.nz}))
        throw complaint("whole numbers below 2^31");
    constexpr std::int64_t least = stencil::kFewestPoints;
    if (problem.nx < least || problem.ny < least || problem.nz < 1)
        throw complaint("at least " + std::to_string(least) + "x" + std::to_string(least) + "x1");
    if (problem.nx * problem.ny > kMostPoints / problem.nz) throw complaint("below 2^31 points in all");
    problem.iterations = int_option(options, "--iterations", problem.iterations, 1);
    problem.radiation_every = int_option(options, "--radiation-every", problem.radiation_every, 0);
    problem.radiation_bands = int_option(options, "--radiation-bands", problem.radiation_bands, 2);
    problem.output_every = int_option(options, "--output-every", problem.output_every, 0);
    problem.dynamics_steps = int_option(options, "--dynamics-steps", problem.dynamics_steps, 1);
    problem.physics_steps = int_option(options, "--physics-steps", problem.physics_steps, 0);
    problem.output_seconds = options.seconds("--output-seconds", problem.output_seconds);
    if (options.find("--output") && (problem.output_every == 0 || problem.output_every > problem.iterations))
        throw UsageError("--output: nothing would be written, with outputs every " +
                         std::to_string(problem.output_every) + " of " + std::to_string(problem.iterations) +
                         " iterations; give --output-every from 1 to " + std::to_string(problem.iterations));
    return problem;
}

}  // namespace linkworth::npb
