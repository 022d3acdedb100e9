// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Eight complex numbers in two vectors, in the compiler's portable vector types: one AVX-512 register each,
/// and as many narrower ones as the processor needs where it has none.
namespace linkworth::npb {

inline constexpr std::size_t kBlockLanes = 8;

typedef double Lanes8 __attribute__((vector_size(64)));
typedef std::uint64_t Bits8 __attribute__((vector_size(64)));

struct alignas(64) Block {
    Lanes8 re, im;
};

inline Block operator+(const Block& a, const Block& b) { return {a.re + b.re, a.im + b.im}; }
inline Block operator-(const Block& a, const Block& b) { return {a.re - b.re, a.im - b.im}; }
inline Block operator*(const Block& a, const Lanes8& factor) { return {a.re * factor, a.im * factor}; }

#if defined(__clang__) || __GNUC__ >= 12
#define LINKWORTH_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define LINKWORTH_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (Bits8){__VA_ARGS__})
#endif

/// Transposes the 8 x 8 matrix whose rows are the vectors: pairs, then quarters, then halves change places.
inline void transpose(Lanes8 (&rows)[8]) {
    Lanes8 t[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = LINKWORTH_SHUFFLE(rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[i + 1] = LINKWORTH_SHUFFLE(rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    Lanes8 u[8];
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; ++k) {
            u[i + k] = LINKWORTH_SHUFFLE(t[i + k], t[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            u[i + k + 2] = LINKWORTH_SHUFFLE(t[i + k], t[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; ++k) {
        rows[k] = LINKWORTH_SHUFFLE(u[k], u[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[k + 4] = LINKWORTH_SHUFFLE(u[k], u[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

#undef LINKWORTH_SHUFFLE

/// Lane l of the i-th block becomes lane i of the l-th.
inline void transpose(Block (&blocks)[8]) {
    Lanes8 re[8], im[8];
    for (int i = 0; i < 8; ++i) {
        re[i] = blocks[i].re;
        im[i] = blocks[i].im;
    }
    transpose(re);
    transpose(im);
    for (int i = 0; i < 8; ++i) blocks[i] = {re[i], im[i]};
}

}  // namespace linkworth::npb
