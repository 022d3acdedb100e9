// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "../huge_array.hpp"

namespace linkworth::npb::is {

/// Keys of up to 24 bits in three bytes each, longer ones in four: high and low bits lie apart, so that
/// buckets can be counted from the high ones alone. Key 16 k + j of a block is field k of its word j (of two
/// bytes each in the high part, of one or two in the low one): vectors of keys come out by shifts.
class PackedKeys {
  public:
    static constexpr std::size_t kBlock = 64;

    PackedKeys() = default;
    /// `size` is a multiple of kBlock; a key has at most `low_bits` + 16 bits, and `low_bits` is at most 16.
    PackedKeys(std::size_t size, int low_bits);

    std::size_t size() const { return size_; }
    int low_bits() const { return low_bits_; }
    /// key >> low_bits of all keys, two a word, in blocks.
    std::span<const std::uint32_t> high_pairs() const { return high_; }

    /// `keys` are as many as fit.
    void pack(std::span<const int> keys);
    void set(std::size_t index, int key);
    int operator[](std::size_t index) const;
    /// The kBlock keys from `first` on, a multiple of kBlock.
    void unpack(std::size_t first, int* keys) const {
        if (low_field_bits_ == 8)
            unpack_fields<8>(first, keys);
        else
            unpack_fields<16>(first, keys);
    }

  private:
    static constexpr std::size_t kWords = 16;  ///< of a block, in which one key follows the other
    static constexpr int kHighFieldBits = 16, kWordBits = 32;

    template <int field_bits>
    static std::uint32_t field(const std::uint32_t* block, std::size_t k, std::size_t j) {
        constexpr std::size_t kFields = kWordBits / field_bits;
        const std::uint32_t shifted = block[k / kFields * kWords + j] >> (k % kFields * field_bits);
        return shifted & ((std::uint32_t{1} << field_bits) - 1);
    }

    template <int low_field_bits>
    void unpack_fields(std::size_t first, int* keys) const {
        const std::uint32_t* const high = high_.data() + first * kHighFieldBits / kWordBits;
        const std::uint32_t* const low = low_.data() + first * low_field_bits / kWordBits;
        const int low_bits = low_bits_;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < kBlock / kWords; ++k)
#pragma omp simd
            for (std::size_t j = 0; j < kWords; ++j)
                keys[k * kWords + j] = static_cast<int>(field<kHighFieldBits>(high, k, j) << low_bits |
                                                        field<low_field_bits>(low, k, j));
    }

    template <int field_bits>
    static void pack_fields(std::span<const int> keys, int shift, std::span<std::uint32_t> words,
                            std::uint32_t mask = ~std::uint32_t{0});

    std::size_t size_ = 0;
    int low_bits_ = 0, low_field_bits_ = 8;
    HugeArray<std::uint32_t> high_, low_;
};

}  // namespace linkworth::npb::is
