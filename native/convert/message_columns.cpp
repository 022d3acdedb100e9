// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/message_columns.hpp"

#include <unordered_map>

#include "convert/messages.hpp"
#include "convert/timed_cursor.hpp"

namespace linkworth::convert {

namespace {

/// Calls `see` with each event and the messages that it sends and receives.
template <class See>
void each_event(const tracefile::Trace& trace, See see) {
    replay::Communicators communicators(trace.ranks());
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        TimedCursor cursor(trace.cursor(rank));
        RankMessages messages(trace, communicators, rank);
        TimedEvent timed;
        while (cursor.next(timed)) {
            messages.take(timed.event);
            see(timed, messages);
        }
    }
}

}  // namespace

MessageColumns message_columns(const tracefile::Trace& trace) {
    std::unordered_map<std::uint64_t, std::int64_t> received_ns;
    each_event(trace, [&](const TimedEvent& timed, const RankMessages& messages) {
        for (const Message& message : messages.received())
            received_ns.emplace(message.key(), static_cast<std::int64_t>(timed.end_ns));
    });
    MessageColumns columns;
    each_event(trace, [&](const TimedEvent& timed, const RankMessages& messages) {
        for (const Message& message : messages.sent()) {
            const auto received = received_ns.find(message.key());
            columns.source.push_back(static_cast<std::int32_t>(message.source));
            columns.destination.push_back(static_cast<std::int32_t>(message.destination));
            columns.bytes.push_back(static_cast<std::int64_t>(message.bytes));
            columns.sent_ns.push_back(static_cast<std::int64_t>(timed.start_ns));
            columns.received_ns.push_back(received == received_ns.end() ? -1 : received->second);
        }
    });
    return columns;
}

}  // namespace linkworth::convert
