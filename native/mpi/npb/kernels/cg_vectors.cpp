// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "cg_vectors.hpp"

#include <algorithm>
#include <bit>

#include "../random.hpp"

namespace linkworth::npb::cg {
namespace {

bool contains(Range range, std::int64_t index) {
    return index >= range.first && index < range.first + range.count;
}

}  // namespace

SparseVectors generate_vectors(const Class& problem, Range rows, Range columns) {
    RandomSequence sequence(kSeed);
    sequence.next();  // the benchmark draws one number before the matrix
    const double index_range = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(problem.order)));

    SparseVectors vectors;
    vectors.starts.push_back(0);
    std::vector<Element> one;
    for (std::int64_t own = 0; own < problem.order; ++own) {
        one.clear();
        while (static_cast<int>(one.size()) < problem.nonzeros_per_vector) {
            const double value = sequence.next();
            const auto index = static_cast<std::uint32_t>(index_range * sequence.next());
            const auto same = [&](const Element& element) { return element.index == index; };
            // Places beyond the order and places taken are drawn anew, with their values.
            if (index >= problem.order || std::any_of(one.begin(), one.end(), same)) continue;
            one.push_back({index, value});
        }
        const auto diagonal =
            std::find_if(one.begin(), one.end(), [&](const Element& e) { return e.index == own; });
        if (diagonal != one.end())
            diagonal->value = 0.5;
        else
            one.push_back({static_cast<std::uint32_t>(own), 0.5});
        for (const Element& element : one)
            if (contains(rows, element.index) || contains(columns, element.index))
                vectors.elements.push_back(element);
        vectors.starts.push_back(vectors.elements.size());
    }
    return vectors;
}

}  // namespace linkworth::npb::cg
