// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <charconv>
#include <utility>

namespace linkworth::netbench {
namespace {

constexpr std::pair<std::string_view, Among> kAmongNames[]{
    {"auto", Among::automatic},
    {"pair-in-node", Among::pair_in_node},
    {"pair-across-nodes", Among::pair_across_nodes},
    {"node", Among::node},
    {"all", Among::all},
};
constexpr std::pair<std::string_view, Method> kMethodNames[]{
    {"sendrecv", Method::sendrecv},
    {"alltoallv", Method::alltoallv},
    {"nonblocking", Method::nonblocking},
};

UsageError refusal(std::string_view what, std::string_view text) {
    return UsageError(std::string(what) + " cannot be '" + std::string(text) + "'");
}

template <class Number>
Number number(std::string_view option, std::string_view text) {
    Number value{};
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size()) throw refusal(option, text);
    return value;
}

template <class Table>
auto named(std::string_view what, std::string_view text, const Table& table) {
    for (const auto& [name, value] : table)
        if (name == text) return value;
    throw refusal(what, text);
}

/// Reads each part of a list with commas.
template <class Read>
auto list(std::string_view text, Read read) {
    std::vector<decltype(read(text))> values;
    while (true) {
        const std::size_t comma = text.find(',');
        values.push_back(read(text.substr(0, comma)));
        if (comma == std::string_view::npos) return values;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

Among among_named(std::string_view name) { return named("--among", name, kAmongNames); }

Settings parse_settings(int argc, const char* const* argv) {
    Settings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto value = [&]() -> std::string_view {
            if (i + 1 >= argc) throw UsageError("give a value after " + std::string(word));
            return argv[++i];
        };
        if (word == "--sizes")
            settings.sizes =
                list(value(), [&](std::string_view part) { return number<std::int64_t>(word, part); });
        else if (word == "--precision")
            settings.precision = number<double>(word, value());
        else if (word == "--seconds")
            settings.seconds = number<double>(word, value());
        else if (word == "--window")
            settings.window = number<int>(word, value());
        else if (word == "--among")
            settings.among = among_named(value());
        else if (word == "--async")
            settings.asynchronous = true;
        else if (word == "--bidirectional")
            settings.bidirectional = true;
        else if (word == "--pairs")
            settings.pairs = true;
        else if (word == "--longest")
            settings.longest = number<std::int64_t>(word, value());
        else if (word == "--seed")
            settings.seed = number<std::uint64_t>(word, value());
        else if (word == "--methods")
            settings.methods =
                list(value(), [&](std::string_view part) { return named(word, part, kMethodNames); });
        else if (i == 1)
            settings.test = word;
        else
            throw UsageError("unknown option " + std::string(word));
    }
    return settings;
}

}  // namespace linkworth::netbench
