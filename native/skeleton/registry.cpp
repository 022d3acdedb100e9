// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "skeleton/registry.hpp"

#include <array>

#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton {

std::span<const Skeleton> skeletons() {
    static const std::array table{
        is::entry(), ep::entry(), cg::entry(), mg::entry(),        ft::entry(),
        bt::entry(), sp::entry(), lu::entry(), imbalance::entry(), stencil::entry(),
    };
    return table;
}

const Skeleton& find_skeleton(std::string_view name) {
    std::string known;
    for (const Skeleton& skeleton : skeletons()) {
        if (skeleton.name == name) return skeleton;
        if (!known.empty()) known += ", ";
        known += skeleton.name;
    }
    throw UsageError("there is no skeleton of a program '" + std::string(name) + "'; there are " + known);
}

}  // namespace linkworth::skeleton
