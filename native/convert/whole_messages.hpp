// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Messages that have both their ends in the trace, known before the first of them is written.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "convert/messages.hpp"
#include "trace/trace.hpp"

namespace linkworth::convert {

/// Reads the whole trace once. Afterwards it keeps only the channels whose ends differ.
class WholeMessages {
  public:
    explicit WholeMessages(const tracefile::Trace& trace);

    bool has_both_ends(const Message& message) const {
        if (!both_.empty()) {
            const auto found = both_.find(message.channel);
            if (found != both_.end() && message.number >= found->second) return false;
        }
        return unended_.empty() || !unended_.contains(message.key());
    }

    /// Returns whether more than one thread of a rank calls MPI.
    bool has_threads() const { return has_threads_; }

  private:
    std::unordered_map<std::uint64_t, std::uint64_t> both_;  ///< messages that a channel sends and receives
    bool has_threads_ = false;
    std::unordered_set<std::uint64_t> unended_;  ///< receives without an end, by message key
};

}  // namespace linkworth::convert
