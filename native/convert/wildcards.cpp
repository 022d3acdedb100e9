// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/wildcards.hpp"

namespace linkworth::convert {

using tracefile::CallClass;

std::optional<Matched> Wildcards::next_match(std::uint64_t request) {
    if (!ahead_) ahead_ = trace_.cursor(rank_);
    tracefile::Event event;
    auto found = found_.find(request);
    while (found == found_.end() && ahead_->next(event)) {
        if (event.shape->call_class != CallClass::complete) continue;
        for (const tracefile::Completion& completion : event.shape->completions)
            if (completion.was_wildcard)
                found_[event.next_request - completion.reference].push_back(
                    {completion.peer, completion.tag});
        found = found_.find(request);
    }
    if (found == found_.end()) return std::nullopt;
    const Matched matched = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) found_.erase(found);
    // Every message has a sender: a receive that ended without one was cancelled.
    if (matched.peer == tracefile::any_source) return std::nullopt;
    return matched;
}

}  // namespace linkworth::convert
