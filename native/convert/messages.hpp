// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The messages that one rank sends and receives, with keys that are the same at both ends.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "calls/communicators.hpp"
#include "trace/trace.hpp"
#include "trace/wildcards.hpp"
#include "trace/withdrawn.hpp"

namespace linkworth::convert {

using replay::mixed;

struct Message {
    std::uint64_t channel = 0;  ///< key of communicator, source, destination and tag
    std::uint64_t number = 0;   ///< in the channel, from 0
    std::uint64_t bytes = 0;    ///< sent; capacity at the receiving end
    std::uint32_t source = 0;   ///< world ranks
    std::uint32_t destination = 0;

    std::uint64_t key() const { return mixed(channel, number); }
};

/// Numbers the messages of a rank's calls. Messages of one channel do not overtake each other (MPI-4.1,
/// section 3.5), so the k-th send meets the k-th receive. Either end can number them without knowing the
/// other. Memory grows with the channels and the pending requests, not with the events.
class RankMessages {
  public:
    /// `communicators` is shared by the ranks that are read with this one, in any order.
    RankMessages(const tracefile::Trace& trace, replay::Communicators& communicators, std::uint32_t rank);

    /// Fills `sent` (from the start of the call on) and `received` (at its end).
    void take(const tracefile::Event& event);
    const std::vector<Message>& sent() const { return sent_; }
    const std::vector<Message>& received() const { return received_; }

    /// Receives that were posted and have not ended yet.
    std::vector<Message> unended() const;
    /// Sends and receives on communicators whose creation is missing, or to ranks that do not exist.
    std::uint64_t unplaced() const { return unplaced_; }

  private:
    struct Persistent {
        tracefile::Shape shape;
        std::optional<Message> active;
    };

    std::optional<Message> outgoing(const tracefile::Shape& shape);
    std::optional<Message> incoming(const tracefile::Shape& shape, std::int32_t peer, std::int32_t tag,
                                    std::uint64_t bytes);
    std::optional<Message> incoming_now(const tracefile::Shape& shape, std::int32_t peer, std::int32_t tag,
                                        std::uint64_t bytes);
    std::optional<Message> posted(const tracefile::Shape& shape, std::uint64_t request);
    /// Returns null, and counts the message as unplaced, if there is no such peer.
    const replay::Communicator* reaching(std::int32_t comm, std::int32_t peer);
    Message numbered(const replay::Communicator& communicator, bool partitioned, std::uint32_t source,
                     std::uint32_t destination, std::int32_t tag, std::uint64_t bytes,
                     std::unordered_map<std::uint64_t, std::uint64_t>& counts) const;
    void define(const tracefile::Shape& shape);
    void start(const tracefile::Event& event);
    void complete(const tracefile::Event& event);
    void forget(const tracefile::Event& event);

    std::uint32_t rank_;
    replay::Communicators& communicators_;
    tracefile::Wildcards wildcards_;
    tracefile::Withdrawn withdrawn_;
    std::unordered_map<std::uint64_t, std::uint64_t> sent_counts_;      ///< by channel
    std::unordered_map<std::uint64_t, std::uint64_t> received_counts_;  ///< by channel
    std::unordered_map<std::uint64_t, Message> pending_;                ///< receives by request
    std::unordered_map<std::uint64_t, Persistent> persistent_;
    std::vector<Message> sent_;
    std::vector<Message> received_;
    std::vector<Message> unended_;  ///< receives whose requests were freed
    std::uint64_t unplaced_ = 0;
};

}  // namespace linkworth::convert
