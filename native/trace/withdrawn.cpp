// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/withdrawn.hpp"

#include <algorithm>

namespace linkworth::tracefile {

Withdrawn::Withdrawn(const Trace& trace, std::uint32_t rank) {
    if (std::ranges::find(trace.names(), "MPI_Cancel") == trace.names().end()) return;
    std::unordered_map<std::uint64_t, std::uint64_t> starts;  // of persistent requests
    RankCursor cursor = trace.cursor(rank);
    Event event;
    while (cursor.next(event)) {
        const CallClass kind = event.shape->call_class;
        if (kind != CallClass::start && kind != CallClass::request_cancel) continue;
        for (const std::uint64_t reference : event.shape->references) {
            const std::uint64_t request = event.next_request - reference;
            if (kind == CallClass::start) {
                ++starts[request];
                continue;
            }
            const auto started = starts.find(request);
            const std::uint64_t number = started == starts.end() ? 0 : started->second - 1;
            std::deque<std::uint64_t>& cancelled = found_[request].cancelled;
            if (cancelled.empty() || cancelled.back() != number) cancelled.push_back(number);
        }
    }
}

bool Withdrawn::is_cancelled(std::uint64_t request) {
    const auto found = found_.find(request);
    if (found == found_.end()) return false;
    Starts& of = found->second;
    if (of.cancelled.front() != of.queried++) return false;
    of.cancelled.pop_front();
    if (of.cancelled.empty()) found_.erase(found);
    return true;
}

}  // namespace linkworth::tracefile
