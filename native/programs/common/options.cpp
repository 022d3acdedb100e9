// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <cctype>
#include <charconv>
#include <cmath>

namespace linkworth::npb {

const std::string* Options::find(std::string_view name) const {
    const std::string* found = nullptr;
    for (const Setting& setting : settings) {
        if (setting.name != name) continue;
        if (!setting.has_value) throw UsageError("give a value after " + setting.name);
        found = &setting.value;
    }
    return found;
}

std::int64_t Options::whole_number(std::string_view name, std::int64_t fallback, std::int64_t least) const {
    const std::string* const text = find(name);
    if (!text) return fallback;
    double value = 0.0;
    const char* const end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, value);
    constexpr double kLargest = 1e15;  // far below 2^53, so that every whole number is itself
    if (error != std::errc{} || stop != end || value != std::floor(value) ||
        value < static_cast<double>(least) || value > kLargest)
        throw UsageError(std::string(name) + ": give a whole number from " + std::to_string(least) +
                         " to 1e15, not '" + *text + "'");
    return static_cast<std::int64_t>(value);
}

double Options::seconds(std::string_view name, double fallback) const {
    const std::string* const text = find(name);
    if (!text) return fallback;
    double value = 0.0;
    const char* const end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, value);
    constexpr double kMost = 1e6;
    if (error != std::errc{} || stop != end || !(value >= 0.0 && value <= kMost))
        throw UsageError(std::string(name) + ": give seconds from 0 to 1e6, not '" + *text + "'");
    return value;
}

Options parse_options(int argc, const char* const* argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--json")
            options.json = true;
        else if (word == "--timers")
            options.timers = true;
        else if (word == "--help" || word == "-h")
            options.help = true;
        else if (word.starts_with("-")) {
            const bool has_value = i + 1 < argc && !std::string_view(argv[i + 1]).starts_with("--");
            options.settings.push_back({std::string(word), has_value ? argv[i + 1] : "", has_value});
            if (has_value) ++i;
        } else
            options.words.emplace_back(word);
    }
    if (!options.words.empty())
        for (const char c : options.words[0])
            options.program += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (options.words.size() > 1) options.argument = options.words[1];
    if (options.argument.size() == 1)
        options.letter = static_cast<char>(std::toupper(static_cast<unsigned char>(options.argument[0])));
    return options;
}

}  // namespace linkworth::npb
