// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "../simd_block.hpp"

/// One-dimensional Fourier transforms of several lines at once, one a lane, by decimation in frequency with
/// radix 8 and 4 (Cooley and Tukey 1965; Gentleman and Sande 1966). It works in place in a buffer that fits
/// in the first-level cache; the first pass reads and the last pass writes through functions of the caller,
/// so that loading, scaling, reordering and storing cost no pass of their own.
namespace linkworth::npb::ft {

enum class Direction { forward, inverse };

/// Complex numbers of a pass, (radix - 1) for each column of its butterflies.
struct Twiddle {
    double re, im;
};

/// Tables for one length, a power of two from 16 to 2^20.
class Transform {
  public:
    explicit Transform(std::size_t length);

    std::size_t length() const { return length_; }

    /// X[k] = sum over j of x[j] exp(-+ 2 pi i j k / n), not normalised. `load(j)` gives x[j], each once;
    /// `store(k, X[k])` takes each once, after all loads. `work`: `length` blocks.
    template <Direction direction, class Load, class Store>
    void run(Block* work, Load&& load, Store&& store) const;

  private:
    struct Pass {
        int radix;
        std::size_t span;  ///< distance of a butterfly's elements
        std::vector<Twiddle> twiddles;
    };

    template <Direction direction, class Load>
    void first_pass(Block* work, Load&& load) const;
    template <Direction direction>
    void middle_pass(const Pass& pass, Block* work) const;
    template <Direction direction, class Store>
    void last_pass(const Block* work, Store&& store) const;

    std::size_t length_;
    std::vector<Pass> passes_;
    std::vector<std::size_t> frequencies_;  ///< of the first element of each last butterfly
};

}  // namespace linkworth::npb::ft

#include "ft_transform_passes.hpp"
