// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/shape_table.hpp"

#include <algorithm>
#include <cstring>

namespace linkworth::tracefile {
namespace {

// Multiply and fold, eight bytes at a time; only speed hangs on its quality.
std::uint64_t hash_of(std::span<const std::uint8_t> bytes) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
    std::uint64_t hash = bytes.size() * odd;
    std::size_t at = 0;
    while (at < bytes.size()) {
        std::uint64_t word = 0;
        const std::size_t size = std::min<std::size_t>(8, bytes.size() - at);
        std::memcpy(&word, bytes.data() + at, size);
        hash = (hash ^ word) * odd;
        hash ^= hash >> 29;
        at += size;
    }
    return hash;
}

constexpr std::size_t first_slots = 64;

}  // namespace

std::uint32_t ShapeTable::find(std::span<const std::uint8_t> payload,
                               const std::vector<std::uint8_t>& block) const {
    if (slots_.empty()) return absent;
    const std::uint64_t hash = hash_of(payload);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
        const std::uint32_t number = slots_[slot] - 1;
        const Entry& entry = entries_[number];
        if (entry.hash == hash && entry.size == payload.size() &&
            std::memcmp(block.data() + entry.offset, payload.data(), payload.size()) == 0) {
            return number;
        }
    }
    return absent;
}

std::uint32_t ShapeTable::add(std::span<const std::uint8_t> payload, std::size_t offset) {
    const auto number = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({hash_of(payload), offset, payload.size()});
    if (2 * entries_.size() > slots_.size()) {
        grow();
        return number;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = entries_.back().hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = number + 1;
    return number;
}

void ShapeTable::grow() {
    slots_.assign(std::max(first_slots, 2 * slots_.size()), 0);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t number = 0; number < entries_.size(); ++number) {
        std::size_t slot = entries_[number].hash & mask;
        while (slots_[slot] != 0) slot = (slot + 1) & mask;
        slots_[slot] = static_cast<std::uint32_t>(number + 1);
    }
}

void ShapeTable::clear() {
    entries_.clear();
    std::ranges::fill(slots_, 0U);
}

}  // namespace linkworth::tracefile
