// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Keys of communicators that each of their ranks derives alone, so that ranks can be read one after the
/// other or all at once.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tracefile/event.hpp"

namespace linkworth::convert {

/// Mixes a number into a 64-bit key (the finaliser of SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
inline std::uint64_t mixed(std::uint64_t key, std::uint64_t number) {
    std::uint64_t value = (key ^ number) + 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111eb;
    return value ^ (value >> 31U);
}

/// Lists of world ranks, each kept once however many ranks have it.
class GroupStore {
  public:
    explicit GroupStore(std::uint32_t ranks);
    const std::vector<std::int32_t>* keep(const std::vector<std::int32_t>& members);
    const std::vector<std::int32_t>* world() const { return &world_; }

  private:
    std::vector<std::int32_t> world_;
    std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<const std::vector<std::int32_t>>>> kept_;
};

struct KeyedCommunicator {
    std::uint64_t key = 0;
    bool inter = false;
    const std::vector<std::int32_t>* peers = nullptr;  ///< world ranks that point-to-point calls address
};

/// One rank's communicators by their number in the trace.
class CommunicatorKeys {
  public:
    CommunicatorKeys(GroupStore& store, std::uint32_t rank);

    /// Follows comm_new, icomm_new and comm_free; other calls change nothing.
    void take(const tracefile::Shape& shape);
    /// Returns null if its creation is missing from the trace.
    const KeyedCommunicator* find(std::int32_t number) const;

  private:
    void define(std::int32_t number, const tracefile::Shape& shape);

    GroupStore& store_;
    std::unordered_map<std::int32_t, KeyedCommunicator> by_number_;
    std::unordered_map<std::uint64_t, std::uint64_t>
        made_;  ///< how many from this parent with these members, by their key
};

}  // namespace linkworth::convert
