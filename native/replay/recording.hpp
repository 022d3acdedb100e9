// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Records that a replay can keep for a timeline: calls, messages, and the load of each link and each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/activity_map.hpp"
#include "replay/load_history.hpp"
#include "replay/settings.hpp"

namespace linkworth::replay {

enum class LinkKind { nic_out, nic_in, switch_up, switch_down };

/// A link's history, by its place: node and rail of a NIC; group and link of a switch, with its level.
struct LinkLoad {
    LinkKind kind = LinkKind::nic_out;
    std::uint32_t level = 0;
    std::uint32_t place = 0;
    std::uint32_t number = 0;
    LoadHistory history;
};

struct RecordedCall {
    std::uint32_t rank = 0;
    std::uint32_t thread = 0;  ///< 0: the one that called MPI_Init, then in the order of their first calls
    std::uint32_t name = 0;    ///< index in the trace's table
    double start_seconds = 0;
    double end_seconds = 0;
    tracefile::CallClass call_class = tracefile::CallClass::local;
};

struct RecordedMessage {
    std::uint32_t source = 0;  ///< world ranks
    std::uint32_t destination = 0;
    std::uint64_t bytes = 0;
    double sent_seconds = 0;
    double received_seconds = 0;
};

/// Calls and messages that begin within the limits.
struct Recording {
    RecordLimits limits;
    std::vector<RecordedCall> calls;
    std::vector<RecordedMessage> messages;
    std::vector<LinkLoad> loads;
    std::vector<LoadHistory> computation;  ///< [rank] the time in which it computed
    ActivityMap activities;                ///< of all ranks and their threads, without limits
    bool cut = false;                      ///< there were more

    void computed(std::uint32_t rank, double from, double to) {
        if (rank >= computation.size()) computation.resize(rank + 1);
        computation[rank].add(from, to);
        activities.add(rank, Activity::computation, from, to);
    }
    void call(const RecordedCall& call) {
        activities.add(call.rank, activity_of(call.call_class), call.start_seconds, call.end_seconds);
        if (call.start_seconds < limits.from_seconds || call.start_seconds >= limits.to_seconds) return;
        if (calls.size() < limits.most)
            calls.push_back(call);
        else
            cut = true;
    }
    void message(const RecordedMessage& message) {
        if (message.sent_seconds < limits.from_seconds || message.sent_seconds >= limits.to_seconds) return;
        if (messages.size() < limits.most)
            messages.push_back(message);
        else
            cut = true;
    }
};

}  // namespace linkworth::replay
