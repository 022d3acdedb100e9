// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Envelopes by which MPI matches messages and receives (MPI-4.1, 3.2.3 and 3.2.4).
#pragma once

#include <cstdint>

#include "calls/event.hpp"

namespace linkworth::replay {

/// Values that a message carries and a receive requires. `source` is a rank of the communicator.
struct Envelope {
    std::uint32_t context = 0;  ///< communicator, kept apart for collectives
    std::int32_t source = 0;
    std::int32_t tag = 0;

    bool has_wildcard() const { return source == tracefile::any_source || tag == tracefile::any_tag; }
    bool accepts(const Envelope& message) const {
        // The source is most often the one that differs.
        return (source == tracefile::any_source || source == message.source) &&
               (tag == tracefile::any_tag || tag == message.tag) && context == message.context;
    }
    bool operator==(const Envelope&) const = default;
};

}  // namespace linkworth::replay
