// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A rank's live requests by number. Numbers rise, and most requests end soon: a ring holds the latest, a map
/// the few that live on while very many others come and go.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "replay/pool.hpp"

namespace linkworth::replay {

class RequestTable {
  public:
    /// `operation` is `none` for a request that has nothing to wait for: its operation ended when it was
    /// posted.
    void insert(std::uint64_t number, std::uint32_t operation) {
        if (first_ == end_) first_ = end_ = number;
        if (number - first_ > mask_) [[unlikely]] {
            if (number < first_) {  // only damage to the trace turns numbers back
                long_lived()[number] = operation;
                return;
            }
            make_room(number);
        }
        slots_[number & mask_] = operation;
        if (number >= end_) end_ = number + 1;
    }

    /// False where no such request is live.
    bool take(std::uint64_t number, std::uint32_t& operation) {
        if (number < first_) [[unlikely]]
            return find_long_lived(number, operation) && long_lived_->erase(number) != 0;
        if (number >= end_) return false;
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
        if (number < first_) [[unlikely]]
            return find_long_lived(number, operation);
        if (number >= end_) return false;
        const std::uint32_t slot = slots_[number & mask_];
        if (slot == ended) return false;
        operation = slot;
        return true;
    }

    /// The next requests are soon made or ended.
    void prefetch() const { prefetch_lines(&slots_[end_ & mask_], sizeof slots_[0]); }

  private:
    /// In the place of a request that is no more, or not yet.
    static constexpr std::uint32_t ended = none - 1;
    static constexpr std::size_t most_slots = 1 << 16;

    void make_room(std::uint64_t number) {
        while (number - first_ > mask_ && slots_.size() < most_slots) grow();
        if (number - first_ > mask_) retire_before(number - mask_ / 2);
        if (first_ == end_) first_ = end_ = number;
    }

    /// Empties the ring of requests with a lower number.
    void retire_before(std::uint64_t number) {
        for (; first_ < std::min(number, end_); ++first_) {
            std::uint32_t& slot = slots_[first_ & mask_];
            if (slot != ended) long_lived()[first_] = slot;
            slot = ended;
        }
        while (first_ < end_ && slots_[first_ & mask_] == ended) ++first_;
    }

    std::unordered_map<std::uint64_t, std::uint32_t>& long_lived() {
        if (long_lived_ == nullptr)
            long_lived_ = std::make_unique<std::unordered_map<std::uint64_t, std::uint32_t>>();
        return *long_lived_;
    }

    bool find_long_lived(std::uint64_t number, std::uint32_t& operation) const {
        if (long_lived_ == nullptr) return false;
        const auto found = long_lived_->find(number);
        if (found == long_lived_->end()) return false;
        operation = found->second;
        return true;
    }

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
    std::unique_ptr<std::unordered_map<std::uint64_t, std::uint32_t>> long_lived_;  ///< below `first_`
};

}  // namespace linkworth::replay
