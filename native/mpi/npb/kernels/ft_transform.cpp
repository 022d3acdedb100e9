// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "ft_transform.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace linkworth::npb::ft {

Transform::Transform(std::size_t length) : length_(length) {
    // The last pass is of radix 8; passes of radix 4 come first and make up what is no power of 8.
    const int log2 = std::countr_zero(length);
    const int fours = (3 - log2 % 3) % 3;
    std::vector<int> radices(fours, 4);
    radices.insert(radices.end(), (log2 - 2 * fours) / 3, 8);

    std::size_t rest = length;
    for (const int radix : radices) {
        Pass pass{radix, rest / radix, {}};
        for (std::size_t j = 0; j < pass.span; ++j)
            for (int q = 1; q < radix; ++q) {
                const double angle =
                    -2.0 * std::numbers::pi * static_cast<double>(j * q) / static_cast<double>(rest);
                pass.twiddles.push_back({std::cos(angle), std::sin(angle)});
            }
        rest = pass.span;
        passes_.push_back(std::move(pass));
    }

    // A position's digits, in the radices from the first pass on, are its frequency's digits from the lowest
    // on.
    for (std::size_t position = 0; position < length; position += 8) {
        std::size_t frequency = 0, weight = 1;
        for (const Pass& pass : passes_) {
            frequency += position / pass.span % pass.radix * weight;
            weight *= pass.radix;
        }
        frequencies_.push_back(frequency);
    }
}

}  // namespace linkworth::npb::ft
