// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Runs every operation of the package on a trace, for the fuzzers. A fault is a crash, a
/// sanitizer's report, an exception of another kind than the documented ones, or no end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "convert/convert_error.hpp"
#include "convert/ti/ti.hpp"
#include "profile/phases.hpp"
#include "profile/scan.hpp"
#include "replay/replay.hpp"
#include "trace/trace.hpp"

namespace linkworth::tests {

/// More ranks are only more of the same.
inline constexpr std::uint32_t most_ranks = 64;

/// Collectives above `refused_bytes` are refused, as no memory could contain them. Shorter ones may be cut
/// into segments.
inline constexpr std::uint64_t most_segmented_bytes = 1U << 28;
inline constexpr std::uint64_t refused_bytes = std::uint64_t{1} << 40;

/// Collectives that would take hours, rightly.
inline bool takes_long(const tracefile::Trace& trace) {
    const auto slow = [](std::uint64_t bytes) {
        return bytes > most_segmented_bytes && bytes <= refused_bytes;
    };
    tracefile::Event event;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        auto cursor = trace.cursor(rank);
        while (cursor.next(event)) {
            const tracefile::Shape& shape = *event.shape;
            if (shape.collective != tracefile::Collective::none &&
                (slow(shape.bytes) || slow(shape.recv_bytes) ||
                 std::ranges::any_of(shape.send_counts, slow) ||
                 std::ranges::any_of(shape.recv_counts, slow)))
                return true;
        }
    }
    return false;
}

class Scratch {
  public:
    Scratch()
        : path_(std::filesystem::temp_directory_path() / ("linkworth-fuzz-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(path_);
    }
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

inline replay::ReplayRequest on_two_nodes(std::uint32_t ranks, replay::collectives::Library library) {
    replay::ReplayRequest request;
    auto& fabric = request.fabric;
    for (replay::Path* path : {&fabric.link, &fabric.intranode}) {
        path->latency_seconds = 1e-6;
        path->bandwidth_bytes_per_second = 1e9;
        path->eager_limit_bytes = 4096;
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank) request.node_of_rank.push_back(rank * 2 / ranks);
    request.collectives.library = library;
    request.tolerate_cut = true;
    request.settings.pass_unmodelled = true;
    return request;
}

/// Does not throw.
inline void replay_in_all_ways(const tracefile::Trace& trace) {
    using replay::collectives::Library;
    const auto attempt = [&trace](const replay::ReplayRequest& request) {
        try {
            replay::replay(trace, request);
        } catch (const replay::ReplayError&) {
            return;
        }
    };
    auto request = on_two_nodes(trace.ranks(), Library::mpich);
    attempt(request);
    request.settings.contention = false;
    attempt(request);
    request = on_two_nodes(trace.ranks(), Library::openmpi_5);
    request.fabric.rails = 2;
    request.fabric.tcp = {0.1, 14600, 1e5};
    request.fabric.topology.levels = {{1, 1, 1e9}};
    request.settings.progress = replay::Progress::calls;
    attempt(request);
}

inline void convert(const tracefile::Trace& trace) {
    static const Scratch scratch;
    convert::TiOptions options;
    options.folder = scratch.path();
    for (const bool as_messages : {false, true}) {
        options.collectives_as_messages = options.whole = as_messages;
        try {
            convert::write_ti(trace, options);
        } catch (const convert::ConvertError&) {
            continue;
        }
    }
}

inline void exercise(std::vector<std::byte> bytes) {
    std::shared_ptr<const tracefile::Trace> trace;
    try {
        trace = tracefile::Trace::from_bytes(std::move(bytes), "fuzzed");
    } catch (const tracefile::TraceError&) {
        return;
    }
    if (trace->ranks() > most_ranks) return;
    profile::scan(*trace, 16);
    profile::find_phases(*trace);
    profile::scan(*trace->beginning(trace->events() / 2), 1);
    if (takes_long(*trace)) return;
    replay_in_all_ways(*trace);
    convert(*trace);
}

}  // namespace linkworth::tests
