// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Ranks, bytes and the pieces of a collective's data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace linkworth::replay::collectives {

using Rank = std::uint32_t;
using Bytes = std::uint64_t;
using Counts = std::vector<Bytes>;

inline Bytes total_of(const Counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), Bytes{0});
}

/// The bytes of each rank's piece: the same for all, as even as `total` allows, or given one by one.
class Pieces {
  public:
    static Pieces equal(Bytes each, Rank ranks) { return Pieces(each, 0, 0, ranks, {}); }
    /// Splits `total` elements of `element` bytes over `ranks`. If it does not divide, the first ranks get
    /// one more.
    static Pieces split(Bytes total, Rank ranks, Bytes element = 1) {
        const Bytes elements = total / std::max<Bytes>(element, 1);
        return Pieces(elements / ranks * element, elements % ranks, element, ranks, {});
    }
    static Pieces listed(Counts counts) {
        const auto ranks = static_cast<Rank>(counts.size());
        return Pieces(0, 0, 0, ranks, std::move(counts));
    }

    Bytes operator[](Rank rank) const {
        return counts_.empty() ? each_ + (rank < longer_ ? element_ : 0) : counts_[rank];
    }
    /// Returns the sum for `count` ranks from `first` on. After the last rank it continues at rank 0.
    Bytes sum(Rank first, Rank count) const {
        if (counts_.empty()) {
            const Rank end = std::min(first + count, ranks_);
            const Rank wrapped = first + count - end;
            return each_ * count + element_ * (longer(first, end) + longer(0, wrapped));
        }
        Bytes bytes = 0;
        for (Rank step = 0; step < count; ++step) bytes += counts_[(first + step) % ranks_];
        return bytes;
    }
    Bytes total() const { return sum(0, ranks_); }
    Rank ranks() const { return ranks_; }

  private:
    Pieces(Bytes each, Bytes longer, Bytes element, Rank ranks, Counts counts)
        : each_(each), longer_(longer), element_(element), ranks_(ranks), counts_(std::move(counts)) {}

    Bytes longer(Rank first, Rank end) const {
        const Bytes last = std::min<Bytes>(end, longer_);
        return last > first ? last - first : 0;
    }

    Bytes each_;
    Bytes longer_;
    Bytes element_;
    Rank ranks_;
    Counts counts_;
};

/// A message cut into segments; 0 or a segment as long as the message means one.
struct Segments {
    Bytes bytes;
    Bytes segment;

    Bytes count() const { return segment == 0 || segment >= bytes ? 1 : (bytes + segment - 1) / segment; }
    Bytes operator[](Bytes index) const {
        if (count() == 1) return bytes;
        return std::min(segment, bytes - index * segment);
    }
};

}  // namespace linkworth::replay::collectives
