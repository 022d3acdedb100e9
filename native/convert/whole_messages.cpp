// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/whole_messages.hpp"

#include <algorithm>

namespace linkworth::convert {

WholeMessages::WholeMessages(const tracefile::Trace& trace) {
    struct Ends {
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
    };
    std::unordered_map<std::uint64_t, Ends> channels;
    replay::Communicators communicators(trace.ranks());
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        RankMessages messages(trace, communicators, rank);
        tracefile::RankCursor cursor = trace.cursor(rank);
        tracefile::Event event;
        const auto received = [&](const Message& message) {
            std::uint64_t& count = channels[message.channel].received;
            count = std::max(count, message.number + 1);
        };
        while (cursor.next(event)) {
            messages.take(event);
            has_threads_ |= event.thread != 0;
            for (const Message& message : messages.sent()) channels[message.channel].sent++;
            for (const Message& message : messages.received()) received(message);
        }
        for (const Message& message : messages.unended()) {
            received(message);
            unended_.insert(message.key());
        }
    }
    for (const auto& [channel, ends] : channels)
        if (ends.sent != ends.received) both_[channel] = std::min(ends.sent, ends.received);
}

}  // namespace linkworth::convert
