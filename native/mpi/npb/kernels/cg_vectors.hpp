// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "../programs/cg.hpp"

namespace linkworth::npb::cg {

struct Element {
    std::uint32_t index;
    double value;
};

/// Sparse vectors, one after the other; `starts` has one entry more than there are vectors.
struct SparseVectors {
    std::vector<std::uint64_t> starts;
    std::vector<Element> elements;
};

/// The vectors whose outer products make the matrix (NAS-95-020, 3.4: random values at random places, and 1/2
/// at the vector's own index), each without the elements that lie neither in `rows` nor in `columns`.
SparseVectors generate_vectors(const Class& problem, Range rows, Range columns);

}  // namespace linkworth::npb::cg
