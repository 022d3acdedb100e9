// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A rank's live requests by number. Numbers rise, and most requests end soon. A ring contains the latest,
/// and a map the few that live on while very many others come and go.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "calls/pool.hpp"

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
        slot_of(number) = operation;
        if (number >= end_) end_ = number + 1;
    }

    /// Returns false if no such request is live.
    bool take(std::uint64_t number, std::uint32_t& operation) {
        if (number < first_) [[unlikely]]
            return find_long_lived(number, operation) && long_lived_->erase(number) != 0;
        if (number >= end_) return false;
        std::uint32_t* const slots = ring();
        std::uint32_t& slot = slots[number & mask_];
        if (slot == ended) return false;
        operation = slot;
        slot = ended;
        // The first one is live, or there is none.
        if (number == first_) {
            do {
                ++number;
            } while (number < end_ && slots[number & mask_] == ended);
            first_ = number;
        }
        return true;
    }

    bool find(std::uint64_t number, std::uint32_t& operation) const {
        if (number < first_) [[unlikely]]
            return find_long_lived(number, operation);
        if (number >= end_) return false;
        const std::uint32_t slot = slot_of(number);
        if (slot == ended) return false;
        operation = slot;
        return true;
    }

    /// The next requests are soon made or ended.
    void prefetch() const { tracefile::prefetch_line(&slot_of(end_)); }

  private:
    /// Marks a request that has ended, or has not begun.
    static constexpr std::uint32_t ended = none - 1;
    static constexpr std::size_t few_slots = cache_line_bytes / sizeof(std::uint32_t);
    static constexpr std::size_t most_slots = 1 << 16;

    const std::uint32_t* ring() const { return mask_ < few_slots ? few_.data() : more_.data(); }
    std::uint32_t* ring() { return mask_ < few_slots ? few_.data() : more_.data(); }
    const std::uint32_t& slot_of(std::uint64_t number) const { return ring()[number & mask_]; }
    std::uint32_t& slot_of(std::uint64_t number) { return ring()[number & mask_]; }

    void make_room(std::uint64_t number) {
        while (number - first_ > mask_ && mask_ + 1 < most_slots) grow();
        if (number - first_ > mask_) retire_before(number - mask_ / 2);
        if (first_ == end_) first_ = end_ = number;
    }

    /// Empties the ring of requests with a lower number.
    void retire_before(std::uint64_t number) {
        for (; first_ < std::min(number, end_); ++first_) {
            std::uint32_t& slot = slot_of(first_);
            if (slot != ended) long_lived()[first_] = slot;
            slot = ended;
        }
        while (first_ < end_ && slot_of(first_) == ended) ++first_;
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
        std::vector<std::uint32_t> larger((mask_ + 1) * 2, ended);
        for (std::uint64_t number = first_; number < end_; ++number)
            larger[number & (larger.size() - 1)] = slot_of(number);
        more_.swap(larger);
        mask_ = more_.size() - 1;
    }

    static constexpr std::array<std::uint32_t, few_slots> all_ended() {
        std::array<std::uint32_t, few_slots> slots{};
        slots.fill(ended);
        return slots;
    }

    /// Ring of most ranks, stored with the rank: with many ranks, any other place costs an access to memory.
    alignas(cache_line_bytes) std::array<std::uint32_t, few_slots> few_ = all_ended();
    std::vector<std::uint32_t> more_;  ///< the ring, if it is longer
    std::uint64_t mask_ = few_slots - 1;
    std::uint64_t first_ = 0;
    std::uint64_t end_ = 0;
    std::unique_ptr<std::unordered_map<std::uint64_t, std::uint32_t>> long_lived_;  ///< below `first_`
};

}  // namespace linkworth::replay
