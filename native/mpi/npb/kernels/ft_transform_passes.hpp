// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ft_transform.hpp"

namespace linkworth::npb::ft {

/// Times exp(-+ i pi / 2).
template <Direction direction>
inline Block quarter_turn(const Block& a) {
    if constexpr (direction == Direction::forward) return {a.im, -a.re};
    return {-a.im, a.re};
}

/// Times exp(-+ i pi / 4).
template <Direction direction>
inline Block eighth_turn(const Block& a) {
    constexpr double kSqrtHalf = 0.70710678118654752440;
    if constexpr (direction == Direction::forward)
        return {(a.re + a.im) * kSqrtHalf, (a.im - a.re) * kSqrtHalf};
    return {(a.re - a.im) * kSqrtHalf, (a.re + a.im) * kSqrtHalf};
}

/// The tables hold exp(-i phi); the inverse transform takes their conjugates.
template <Direction direction>
inline Block turned(const Block& a, const Twiddle& w) {
    if constexpr (direction == Direction::forward)
        return {a.re * w.re - a.im * w.im, a.im * w.re + a.re * w.im};
    return {a.re * w.re + a.im * w.im, a.im * w.re - a.re * w.im};
}

template <Direction direction>
inline void butterfly(Block (&a)[4]) {
    const Block even_sum = a[0] + a[2], even_difference = a[0] - a[2];
    const Block odd_sum = a[1] + a[3], odd_difference = quarter_turn<direction>(a[1] - a[3]);
    a[0] = even_sum + odd_sum;
    a[1] = even_difference + odd_difference;
    a[2] = even_sum - odd_sum;
    a[3] = even_difference - odd_difference;
}

template <Direction direction>
inline void butterfly(Block (&a)[8]) {
    Block even[4] = {a[0], a[2], a[4], a[6]};
    Block odd[4] = {a[1], a[3], a[5], a[7]};
    butterfly<direction>(even);
    butterfly<direction>(odd);
    odd[1] = eighth_turn<direction>(odd[1]);
    odd[2] = quarter_turn<direction>(odd[2]);
    odd[3] = quarter_turn<direction>(eighth_turn<direction>(odd[3]));
    for (int q = 0; q < 4; ++q) {
        a[q] = even[q] + odd[q];
        a[q + 4] = even[q] - odd[q];
    }
}

/// Butterflies over the columns of one sub-transform: `load(j, k)` gives element k of column j.
template <Direction direction, int radix, class Load>
inline void columns(std::size_t span, const Twiddle* twiddles, Block* out, Load&& load) {
    for (std::size_t j = 0; j < span; ++j, twiddles += radix - 1) {
        Block a[radix];
        for (int k = 0; k < radix; ++k) a[k] = load(j, k);
        butterfly<direction>(a);
        out[j] = a[0];
        for (int q = 1; q < radix; ++q) out[j + q * span] = turned<direction>(a[q], twiddles[q - 1]);
    }
}

template <Direction direction, class Load>
void Transform::first_pass(Block* work, Load&& load) const {
    const Pass& pass = passes_.front();
    const auto strided = [&](std::size_t j, int k) {
        return load(j + static_cast<std::size_t>(k) * pass.span);
    };
    if (pass.radix == 8)
        columns<direction, 8>(pass.span, pass.twiddles.data(), work, strided);
    else
        columns<direction, 4>(pass.span, pass.twiddles.data(), work, strided);
}

template <Direction direction>
void Transform::middle_pass(const Pass& pass, Block* work) const {
    for (std::size_t base = 0; base < length_; base += pass.radix * pass.span) {
        Block* const part = work + base;
        const auto in_place = [&](std::size_t j, int k) {
            return part[j + static_cast<std::size_t>(k) * pass.span];
        };
        if (pass.radix == 8)
            columns<direction, 8>(pass.span, pass.twiddles.data(), part, in_place);
        else
            columns<direction, 4>(pass.span, pass.twiddles.data(), part, in_place);
    }
}

template <Direction direction, class Store>
void Transform::last_pass(const Block* work, Store&& store) const {
    const std::size_t step = length_ / 8;
    for (std::size_t i = 0; i < frequencies_.size(); ++i, work += 8) {
        Block a[8];
        for (int k = 0; k < 8; ++k) a[k] = work[k];
        butterfly<direction>(a);
        for (int q = 0; q < 8; ++q) store(frequencies_[i] + static_cast<std::size_t>(q) * step, a[q]);
    }
}

template <Direction direction, class Load, class Store>
void Transform::run(Block* work, Load&& load, Store&& store) const {
    first_pass<direction>(work, load);
    for (std::size_t p = 1; p + 1 < passes_.size(); ++p) middle_pass<direction>(passes_[p], work);
    last_pass<direction>(work, store);
}

}  // namespace linkworth::npb::ft
