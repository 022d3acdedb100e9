// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Vectors of this processor's full width, in the compiler's portable vector types, and blocks of as many
/// complex numbers.
namespace linkworth::npb {

#if defined(__AVX512F__)
inline constexpr std::size_t kLanes = 8;
#elif defined(__AVX__)
inline constexpr std::size_t kLanes = 4;
#else
inline constexpr std::size_t kLanes = 2;
#endif

typedef double Lanes __attribute__((vector_size(kLanes * sizeof(double))));
typedef std::uint64_t Bits __attribute__((vector_size(kLanes * sizeof(std::uint64_t))));

struct Block {
    Lanes re, im;
};

inline Block operator+(const Block& a, const Block& b) { return {a.re + b.re, a.im + b.im}; }
inline Block operator-(const Block& a, const Block& b) { return {a.re - b.re, a.im - b.im}; }
inline Block operator*(const Block& a, const Lanes& factor) { return {a.re * factor, a.im * factor}; }

#if defined(__clang__) || __GNUC__ >= 12
#define LINKWORTH_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define LINKWORTH_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (Bits){__VA_ARGS__})
#endif

/// Transposes the square matrix whose rows are the vectors: single numbers, then pairs, then quadruples
/// change places.
inline void transpose(Lanes (&rows)[kLanes]) {
#if defined(__AVX512F__)
    Lanes t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = LINKWORTH_SHUFFLE(rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[i + 1] = LINKWORTH_SHUFFLE(rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; ++k) {
            u[i + k] = LINKWORTH_SHUFFLE(t[i + k], t[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            u[i + k + 2] = LINKWORTH_SHUFFLE(t[i + k], t[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; ++k) {
        rows[k] = LINKWORTH_SHUFFLE(u[k], u[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[k + 4] = LINKWORTH_SHUFFLE(u[k], u[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#elif defined(__AVX__)
    Lanes t[4];
    for (int i = 0; i < 4; i += 2) {
        t[i] = LINKWORTH_SHUFFLE(rows[i], rows[i + 1], 0, 4, 2, 6);
        t[i + 1] = LINKWORTH_SHUFFLE(rows[i], rows[i + 1], 1, 5, 3, 7);
    }
    for (int k = 0; k < 2; ++k) {
        rows[k] = LINKWORTH_SHUFFLE(t[k], t[k + 2], 0, 1, 4, 5);
        rows[k + 2] = LINKWORTH_SHUFFLE(t[k], t[k + 2], 2, 3, 6, 7);
    }
#else
    const Lanes first = LINKWORTH_SHUFFLE(rows[0], rows[1], 0, 2);
    rows[1] = LINKWORTH_SHUFFLE(rows[0], rows[1], 1, 3);
    rows[0] = first;
#endif
}

#undef LINKWORTH_SHUFFLE

/// Lane l of the i-th block becomes lane i of the l-th.
inline void transpose(Block (&blocks)[kLanes]) {
    Lanes re[kLanes], im[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) {
        re[i] = blocks[i].re;
        im[i] = blocks[i].im;
    }
    transpose(re);
    transpose(im);
    for (std::size_t i = 0; i < kLanes; ++i) blocks[i] = {re[i], im[i]};
}

}  // namespace linkworth::npb
