// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Conversion of one rank's calls to time-independent actions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "calls/call_names.hpp"
#include "calls/communicators.hpp"
#include "convert/ti/actions.hpp"
#include "convert/ti/collectives.hpp"
#include "convert/ti/matching.hpp"
#include "convert/ti/ti.hpp"
#include "replay/recorded_computation.hpp"
#include "trace/wildcards.hpp"

namespace linkworth::convert {

/// State that all ranks share while one after the other is converted.
struct TiRun {
    TiRun(const tracefile::Trace& trace, const TiOptions& options);

    const tracefile::Trace& trace;
    const TiOptions& options;
    std::vector<replay::CallName> names;
    replay::Communicators communicators;
    TiTags tags;
    TiBalance balance;
    TiResult result;
    std::vector<std::uint64_t> world_collectives;  ///< by rank
};

class TiRank {
  public:
    TiRank(TiRun& run, std::uint32_t rank, std::string path);
    /// Writes the whole file.
    void convert();

  private:
    using Requests = std::vector<TiRequest>;
    struct Persistent {
        tracefile::Shape shape;
        Requests active;
        std::uint64_t ready = 0;  ///< partitions of the send under way
    };

    bool take(const tracefile::Event& event);
    void check_alone(const tracefile::Event& event) const;
    void point_to_point(const tracefile::Event& event);
    void ready(const tracefile::Event& event);
    Requests begin_partitioned(const tracefile::Shape& shape);
    void send_and_receive(const tracefile::Event& event);
    void start(const tracefile::Event& event);
    void complete(const tracefile::Event& event);
    void request_end(const tracefile::Event& event);
    bool under_way(std::uint64_t request) const;
    void collective(const tracefile::Shape& shape);
    Requests begin_collective(const tracefile::Shape& shape);
    void new_communicator(const tracefile::Shape& shape);
    void local(const tracefile::Event& event);

    /// Returns what a started send or receive waits for; nothing if it has no peer.
    Requests begin(const tracefile::Shape& shape, std::uint64_t request);
    std::optional<TiMessage> sent(const tracefile::Shape& shape);
    std::optional<TiMessage> received(const tracefile::Shape& shape, std::int32_t peer, std::int32_t tag,
                                      std::uint64_t bytes);
    TiMessage message(const tracefile::Shape& shape, std::int32_t peer, std::int32_t tag,
                      std::uint64_t bytes);
    replay::Membership& membership(const tracefile::Shape& shape);
    std::int32_t tag_of(std::uint32_t context, std::int32_t tag, const tracefile::Shape& shape);
    TiGround ground_of(const replay::Membership& membership, const tracefile::Shape& shape);
    replay::Schedule steps_of(const replay::Membership& membership, const tracefile::Shape& shape) const;
    bool is_world(const replay::Communicator& communicator) const;
    [[noreturn]] void refuse(const tracefile::Shape& shape, const char* why) const;
    const std::string& name(const tracefile::Shape& shape) const { return run_.trace.names()[shape.name]; }

    TiRun& run_;
    std::uint32_t rank_;
    TiActions actions_;
    tracefile::RankCursor cursor_;
    replay::RecordedComputation computation_;
    tracefile::Wildcards wildcards_;
    double unwritten_seconds_ = 0;  ///< to the latest call's end, from that of the latest one with an action
    std::unordered_map<std::uint64_t, Requests> requests_;
    std::unordered_map<std::uint64_t, Persistent> persistent_;
};

}  // namespace linkworth::convert
