// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "charges.hpp"

#include <algorithm>
#include <limits>

#include "../common/random.hpp"

namespace linkworth::npb::mg {

ChargeSearch::ChargeSearch(const Class& problem, const Layout& layout, int rank) {
    const Triple n = layout.extents(problem.levels), first = layout.first_point();
    const std::int64_t side = problem.points_per_side();
    double least_high = -std::numeric_limits<double>::infinity(), least_low = least_high;
    for (std::int64_t z = 0; z < n[2]; ++z)
        for (std::int64_t y = 0; y < n[1]; ++y) {
            const std::int64_t skipped = first[0] + side * (first[1] + y + side * (first[2] + z));
            RandomSequence sequence(multiply(kSeed, jump(static_cast<std::uint64_t>(skipped))));
            for (std::int64_t x = 0; x < n[0]; ++x) {
                const double value = sequence.next();
                if (value <= least_high && -value <= least_low) continue;
                const Place place{rank, static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
                insert(found(Charge::positive), value, place);
                insert(found(Charge::negative), -value, place);
                if (found_[0].size() == kCharges) {
                    least_high = found(Charge::positive).front().value;
                    least_low = found(Charge::negative).front().value;
                }
            }
        }
}

void ChargeSearch::insert(std::vector<Found>& found, double value, const Place& place) {
    const auto above =
        std::find_if(found.begin(), found.end(), [&](const Found& f) { return f.value > value; });
    found.insert(above, {value, place});
    if (found.size() > kCharges) found.erase(found.begin());
}

double ChargeSearch::candidate(Charge kind) const {
    const auto& left = found_[static_cast<int>(kind)];
    return left.empty() ? -std::numeric_limits<double>::infinity() : left.back().value;
}

Place ChargeSearch::claim(Charge kind, double value) {
    auto& left = found(kind);
    if (left.empty() || left.back().value != value) return {};
    const Place place = left.back().place;
    left.pop_back();
    return place;
}

}  // namespace linkworth::npb::mg
