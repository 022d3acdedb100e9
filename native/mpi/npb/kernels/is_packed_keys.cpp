// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "is_packed_keys.hpp"

#include <algorithm>

namespace linkworth::npb::is {
namespace {

/// Where a field of so many bits is for the key of an index.
struct Place {
    Place(std::size_t index, std::size_t field_bits, std::size_t words) {
        const std::size_t fields = 32 / field_bits, k = index % PackedKeys::kBlock / words;
        word =
            (index / PackedKeys::kBlock * PackedKeys::kBlock / fields) + k / fields * words + index % words;
        shift = static_cast<int>(k % fields * field_bits);
    }
    std::size_t word;
    int shift;
};

}  // namespace

PackedKeys::PackedKeys(std::size_t size, int low_bits)
    : size_(size),
      low_bits_(low_bits),
      low_field_bits_(low_bits <= 8 ? 8 : 16),
      high_(size * kHighFieldBits / kWordBits),
      low_(size * static_cast<std::size_t>(low_field_bits_) / kWordBits) {}

void PackedKeys::pack(std::span<const int> keys) {
    pack_fields<kHighFieldBits>(keys, low_bits_, high_);
    const std::uint32_t low_mask = (std::uint32_t{1} << low_bits_) - 1;
    if (low_field_bits_ == 8)
        pack_fields<8>(keys, 0, low_, low_mask);
    else
        pack_fields<16>(keys, 0, low_, low_mask);
}

template <int field_bits>
void PackedKeys::pack_fields(std::span<const int> keys, int shift, std::span<std::uint32_t> words,
                             std::uint32_t mask) {
    constexpr std::size_t kFields = kWordBits / field_bits;
    for (std::size_t w = 0; w < words.size(); w += kWords) {
        const int* const from = keys.data() + w * kFields;
#pragma omp simd
        for (std::size_t j = 0; j < kWords; ++j) {
            std::uint32_t word = 0;
            for (std::size_t f = 0; f < kFields; ++f)
                word |= (static_cast<std::uint32_t>(from[f * kWords + j]) >> shift & mask)
                        << (f * field_bits);
            words[w + j] = word;
        }
    }
}

void PackedKeys::set(std::size_t index, int key) {
    const auto bits = static_cast<std::uint32_t>(key);
    const auto replace = [&](HugeArray<std::uint32_t>& words, int field_bits, std::uint32_t field) {
        const Place place(index, static_cast<std::size_t>(field_bits), kWords);
        const std::uint32_t mask = ((std::uint32_t{1} << field_bits) - 1) << place.shift;
        words[place.word] = (words[place.word] & ~mask) | field << place.shift;
    };
    replace(high_, kHighFieldBits, bits >> low_bits_);
    replace(low_, low_field_bits_, bits & ((std::uint32_t{1} << low_bits_) - 1));
}

int PackedKeys::operator[](std::size_t index) const {
    int keys[kBlock];
    unpack(index / kBlock * kBlock, keys);
    return keys[index % kBlock];
}

}  // namespace linkworth::npb::is
