// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A rank's live requests by number. Numbers rise, and most requests end soon, so a ring over the live range
/// is enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/pool.hpp"

namespace linkworth::replay {

class RequestTable {
  public:
    /// `operation` is `none` for a request that has nothing to wait for: its operation ended when it was
    /// posted.
    void insert(std::uint64_t number, std::uint32_t operation) {
        if (first_ == end_) first_ = end_ = number;
        while (number - first_ > mask_) [[unlikely]]
            grow();
        slots_[number & mask_] = operation;
        if (number >= end_) end_ = number + 1;
    }

    /// False where no such request is live.
    bool take(std::uint64_t number, std::uint32_t& operation) {
        if (number < first_ || number >= end_) return false;
        std::uint32_t& slot = slots_[number & mask_];
        if (slot == ended) return false;
        operation = slot;
        slot = ended;
        // The first one is live, or there is none.
        if (number == first_) {
            do {
                ++number;
            } while (number < end_ && slots_[number & mask_] == ended);
            first_ = number;
        }
        return true;
    }

    bool find(std::uint64_t number, std::uint32_t& operation) const {
        if (number < first_ || number >= end_) return false;
        const std::uint32_t slot = slots_[number & mask_];
        if (slot == ended) return false;
        operation = slot;
        return true;
    }

    /// The next requests are soon made or ended.
    void prefetch() const {
        if (!slots_.empty()) prefetch_lines(&slots_[end_ & (slots_.size() - 1)], sizeof slots_[0]);
    }

  private:
    /// In the place of a request that is no more, or not yet.
    static constexpr std::uint32_t ended = none - 1;

    void grow() {
        std::vector<std::uint32_t> larger(slots_.size() * 2, ended);
        for (std::uint64_t number = first_; number < end_; ++number)
            larger[number & (larger.size() - 1)] = slots_[number & mask_];
        slots_.swap(larger);
        mask_ = slots_.size() - 1;
    }

    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(16, ended);
    std::uint64_t mask_ = slots_.size() - 1;
    std::uint64_t first_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace linkworth::replay
