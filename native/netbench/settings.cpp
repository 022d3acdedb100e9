// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <charconv>
#include <limits>
#include <string_view>

namespace linkworth::netbench {
namespace {

template <class Number>
Number number(std::string_view option, std::string_view text, Number least, Number most) {
    Number value{};
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size() || !(value >= least && value <= most))
        throw UsageError(std::string(option) + ": give a number from " + std::to_string(least) + " to " +
                         std::to_string(most) + ", not '" + std::string(text) + "'");
    return value;
}

std::vector<std::int64_t> size_list(std::string_view option, std::string_view text) {
    std::vector<std::int64_t> sizes;
    while (true) {
        const std::size_t comma = text.find(',');
        // One MPI call is limited to the count of an int.
        sizes.push_back(
            number<std::int64_t>(option, text.substr(0, comma), 1, std::numeric_limits<int>::max()));
        if (comma == std::string_view::npos) return sizes;
        text.remove_prefix(comma + 1);
    }
}

Among among(std::string_view text) {
    if (text == "auto") return Among::automatic;
    if (text == "pair-in-node") return Among::pair_in_node;
    if (text == "pair-across-nodes") return Among::pair_across_nodes;
    if (text == "node") return Among::node;
    if (text == "all") return Among::all;
    throw UsageError("--among: give auto, pair-in-node, pair-across-nodes, node or all, not '" +
                     std::string(text) + "'");
}

std::vector<Method> method_list(std::string_view text) {
    std::vector<Method> methods;
    while (true) {
        const std::size_t comma = text.find(',');
        const std::string_view name = text.substr(0, comma);
        if (name == "sendrecv")
            methods.push_back(Method::sendrecv);
        else if (name == "alltoallv")
            methods.push_back(Method::alltoallv);
        else if (name == "nonblocking")
            methods.push_back(Method::nonblocking);
        else
            throw UsageError("--methods: give some of sendrecv, alltoallv and nonblocking, not '" +
                             std::string(name) + "'");
        if (comma == std::string_view::npos) return methods;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

Settings parse_settings(int argc, const char* const* argv) {
    Settings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto value = [&]() -> std::string_view {
            if (i + 1 >= argc) throw UsageError("give a value after " + std::string(word));
            return argv[++i];
        };
        if (word == "--help" || word == "-h")
            settings.help = true;
        else if (word == "--sizes")
            settings.sizes = size_list(word, value());
        else if (word == "--precision")
            settings.precision = number(word, value(), 1e-6, 1.0);
        else if (word == "--seconds")
            settings.seconds = number(word, value(), 1e-6, 86400.0);
        else if (word == "--window")
            settings.window = number(word, value(), 1, 65536);
        else if (word == "--among")
            settings.among = among(value());
        else if (word == "--async")
            settings.asynchronous = true;
        else if (word == "--bidirectional")
            settings.bidirectional = true;
        else if (word == "--pairs")
            settings.pairs = true;
        else if (word == "--longest")
            settings.longest = number<std::int64_t>(word, value(), 8192, std::numeric_limits<int>::max() / 2);
        else if (word == "--seed")
            settings.seed =
                number<std::uint64_t>(word, value(), 0, std::numeric_limits<std::uint64_t>::max());
        else if (word == "--methods")
            settings.methods = method_list(value());
        else if (word.starts_with("-"))
            throw UsageError("unknown option " + std::string(word));
        else if (settings.test.empty())
            settings.test = word;
        else
            throw UsageError("one test at a time: " + settings.test + " or " + std::string(word));
    }
    return settings;
}

}  // namespace linkworth::netbench
