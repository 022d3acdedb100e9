// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The scan of one rank: what needs its communicators and persistent requests.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "profile/collective_messages.hpp"
#include "profile/communicators.hpp"
#include "profile/scan.hpp"

namespace linkworth::profile {

class RankScan {
  public:
    RankScan(const tracefile::Trace& trace, std::uint32_t rank, Scan& scan);
    void run();

  private:
    struct CollectiveKey {
        std::ptrdiff_t group = 0;
        UniformCollective call;
        bool operator==(const CollectiveKey&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const CollectiveKey& key) const;
    };

    void take_times(const tracefile::Event& event);
    /// Counts the call's traffic; returns the bytes of its arguments.
    std::uint64_t take_call(const tracefile::Event& event);
    void send(const tracefile::Shape& shape);
    void send_times(const tracefile::Shape& shape, std::uint64_t times);
    std::uint64_t access(const tracefile::Shape& shape);
    std::uint64_t collective(const tracefile::Shape& shape);
    std::uint64_t start(const tracefile::Event& event);
    void flush_collectives();
    void not_modelled(const tracefile::Shape& shape);

    const tracefile::Trace& trace_;
    std::uint32_t rank_;
    Scan& scan_;
    RankTimes& times_;
    Communicators communicators_;
    std::unordered_map<CollectiveKey, std::uint64_t, KeyHash> collectives_;
    std::unordered_map<std::uint64_t, tracefile::Shape> persistent_;  ///< by request number
    std::unordered_map<std::int32_t, std::ptrdiff_t> windows_;        ///< groups of windows
    std::vector<std::uint64_t> not_modelled_;                         ///< by name
    bool in_marked_region_ = false;
};

}  // namespace linkworth::profile
