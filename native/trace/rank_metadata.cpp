// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/rank_metadata.hpp"

#include <array>
#include <charconv>
#include <cstdio>

#include "trace/trace.hpp"

namespace linkworth::tracefile {
namespace {

// Bytes that are no ASCII are written as \u00XX, so that no host name can make the document invalid.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte < 0x20 || byte > 0x7e || byte == '"' || byte == '\\') {
            std::array<char, 8> code{};
            std::snprintf(code.data(), code.size(), "\\u%04x", byte);
            out += code.data();
        } else {
            out.push_back(letter);
        }
    }
    return out + "\"";
}

std::string number(double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), end.ptr};
}

std::string rank_object(const MergedRank& rank) {
    return "{\"rank\":" + std::to_string(rank.rank) + ",\"host\":" + quoted(rank.host) +
           (rank.processor.empty() ? "" : ",\"processor\":" + quoted(rank.processor)) +
           ",\"pid\":" + std::to_string(rank.pid) + ",\"state\":" + quoted(rank.state) +
           ",\"start_seconds\":" + number(rank.start_seconds) +
           ",\"elapsed_seconds\":" + number(rank.elapsed_seconds) +
           ",\"cpu_seconds\":" + number(rank.cpu_seconds) +
           (rank.helpers_seconds > 0 ? ",\"helpers_seconds\":" + number(rank.helpers_seconds) : "") +
           ",\"cores\":" + std::to_string(rank.cores) +
           (rank.first_core < 0 ? "" : ",\"first_core\":" + std::to_string(rank.first_core)) +
           ",\"dropped_events\":" + std::to_string(rank.dropped_events) + "}";
}

std::string list(const std::vector<std::string>& items) {
    std::string out = "[";
    for (const std::string& item : items) {
        if (out.size() > 1) out.push_back(',');
        out += item;
    }
    out.push_back(']');
    return out;
}

}  // namespace

std::string with_ranks(const std::string& metadata_json, const std::vector<MergedRank>& ranks,
                       const std::vector<std::string>& damage) {
    const std::size_t open = metadata_json.find('{');
    const std::size_t close = metadata_json.rfind('}');
    if (open == std::string::npos || close == std::string::npos || close < open)
        throw TraceError("the metadata of a trace is one JSON object");
    const bool empty = metadata_json.find_first_not_of(" \t\r\n", open + 1) == close;
    std::vector<std::string> objects;
    objects.reserve(ranks.size());
    for (const MergedRank& rank : ranks) objects.push_back(rank_object(rank));
    std::vector<std::string> sentences;
    sentences.reserve(damage.size());
    for (const std::string& sentence : damage) sentences.push_back(quoted(sentence));
    return metadata_json.substr(0, close) + (empty ? "" : ",") + "\"ranks\":" + list(objects) +
           ",\"damage\":" + list(sentences) + "}";
}

}  // namespace linkworth::tracefile
