// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mg.hpp"

namespace linkworth::npb::mg {

/// The most extreme of the random numbers that belong to one rank's points, and their places.
///
/// The numbers are those of the benchmark's sequence, x fastest, over all points of the finest grid
/// (NAS-95-020, 3.2).
class ChargeSearch {
  public:
    ChargeSearch(const Class& problem, const Layout& layout, int rank);

    double candidate(Charge kind) const;
    Place claim(Charge kind, double value);

  private:
    struct Found {
        double value;  ///< with the sign that makes the most extreme the largest
        Place place;
    };
    static void insert(std::vector<Found>& found, double value, const Place& place);
    std::vector<Found>& found(Charge kind) { return found_[static_cast<int>(kind)]; }

    std::vector<Found> found_[2];  ///< by kind, at most kCharges each, the most extreme last
};

}  // namespace linkworth::npb::mg
