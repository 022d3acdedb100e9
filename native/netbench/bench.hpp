// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "group.hpp"
#include "rings.hpp"
#include "sampler.hpp"
#include "settings.hpp"

namespace linkworth::netbench {

/// Payload that this rank sent, warm-up included: messages' own bytes, or for a collective, on its first
/// rank, the least that must move.
struct Payload {
    double bytes = 0.0;
    double between_nodes = 0.0;
};

/// Context that all tests share: the settings, the ranks, and the output.
struct Bench {
    const Settings& settings;
    const Group& world;
    const Group& group;
    Payload payload;

    bool speaks() const { return world.rank == 0; }
    Limits limits() const { return {settings.precision, settings.seconds}; }
    std::size_t longest_size() const {
        return static_cast<std::size_t>(*std::max_element(settings.sizes.begin(), settings.sizes.end()));
    }
    /// Bytes of memory of this machine for each rank on the first one's node, the limit of its control group
    /// not counted.
    double memory_of_a_rank() const;

    /// Notes messages from this rank to another of a group.
    void sent(const Group& within, int to, double bytes) {
        payload.bytes += bytes;
        if (within.crosses(within.rank, to)) payload.between_nodes += bytes;
    }
    /// Notes messages from this rank to each of its neighbours.
    void sent(const Neighbours& neighbours, double bytes) {
        sent(group, neighbours.left, bytes);
        sent(group, neighbours.right, bytes);
    }

    /// Prints a size on the first rank. `bytes_moved` is the number of bytes of one operation in all, or 0 if
    /// that has no meaning.
    void row(std::int64_t bytes, std::string_view label, const Summary& measured, double bytes_moved) const;
    void value(std::string_view name, double value) const;
    void warning(std::string_view sentence) const;
    /// Prints a line of the stream of results on the first rank and hands it on at once.
    void line(const std::string& json) const;
};

}  // namespace linkworth::netbench
