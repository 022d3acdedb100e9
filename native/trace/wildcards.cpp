// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/wildcards.hpp"

namespace linkworth::tracefile {

std::optional<Completion> Wildcards::next_match(std::uint64_t request) {
    if (!ahead_) ahead_ = trace_.cursor(rank_);
    Event event;
    auto found = found_.find(request);
    while (found == found_.end() && ahead_->next(event)) {
        for (const Completion& done : event.shape->completions)
            if (done.was_wildcard) found_[event.next_request - done.reference].push_back(done);
        found = found_.find(request);
    }
    if (found == found_.end()) return std::nullopt;
    const Completion matched = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) found_.erase(found);
    // Every message has a sender: a receive that ended without one was cancelled.
    if (matched.peer == any_source) return std::nullopt;
    return matched;
}

}  // namespace linkworth::tracefile
