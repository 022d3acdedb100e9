// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "calls/collectives/operation.hpp"

namespace linkworth::replay::collectives {
namespace {

using enum Algorithm;

/// By algorithm, in the order of the enumeration; "-" has no name of its own.
constexpr std::string_view spellings =
    "binary binomial - bruck butterfly chain double_ring gather_bcast han in_order_binary knomial linear "
    "linear_sync neighbor smp - nonoverlapping pairwise pairwise_xor pipeline rabenseifner "
    "recursive_doubling recursive_halving ring scatter_allgather scatter_allgather_ring segmented_ring "
    "split_binary tree two_proc";
static_assert(std::count(spellings.begin(), spellings.end(), ' ') == static_cast<int>(two_proc));

std::string_view spelling(Algorithm algorithm) {
    std::string_view left = spellings;
    for (int skipped = 0; skipped < static_cast<int>(algorithm); ++skipped)
        left.remove_prefix(left.find(' ') + 1);
    return left.substr(0, left.find(' '));
}

void add(std::vector<NamedAlgorithm>& all, std::initializer_list<Collective> collectives,
         std::initializer_list<Algorithm> algorithms) {
    for (const Collective collective : collectives)
        for (const Algorithm algorithm : algorithms)
            all.push_back({collective, spelling(algorithm), algorithm});
}

std::vector<NamedAlgorithm> make_names() {
    std::vector<NamedAlgorithm> all;
    add(all, {Collective::barrier},
        {linear, double_ring, recursive_doubling, bruck, two_proc, tree, node_leaders, han});
    add(all, {Collective::bcast},
        {linear, chain, pipeline, split_binary, binary, binomial, knomial, scatter_allgather,
         scatter_allgather_ring, node_leaders, han});
    add(all, {Collective::reduce},
        {linear, chain, pipeline, binary, binomial, in_order_binary, rabenseifner, node_leaders, han});
    add(all, {Collective::allreduce},
        {linear, nonoverlapping, recursive_doubling, ring, segmented_ring, rabenseifner, tree, node_leaders,
         han});
    add(all, {Collective::allgather},
        {linear, bruck, recursive_doubling, ring, neighbor, two_proc, gather_bcast, han});
    add(all, {Collective::allgatherv},
        {linear, bruck, recursive_doubling, ring, neighbor, two_proc, gather_bcast});
    add(all, {Collective::alltoall}, {linear, pairwise, pairwise_xor, bruck, linear_sync, two_proc});
    add(all, {Collective::alltoallv, Collective::alltoallw}, {linear, pairwise});
    add(all, {Collective::gather}, {linear, binomial, linear_sync, han});
    add(all, {Collective::scatter}, {linear, binomial, han});
    add(all, {Collective::gatherv, Collective::scatterv}, {linear});
    add(all, {Collective::reduce_scatter, Collective::reduce_scatter_block},
        {nonoverlapping, recursive_halving, recursive_doubling, ring, butterfly, pairwise});
    add(all, {Collective::scan}, {linear, recursive_doubling, node_leaders});
    add(all, {Collective::exscan}, {linear, recursive_doubling});
    return all;
}

}  // namespace

const std::vector<NamedAlgorithm>& named_algorithms() {
    static const std::vector<NamedAlgorithm> all = make_names();
    return all;
}

const NamedAlgorithm* find_algorithm(Collective collective, std::string_view name) {
    const auto& all = named_algorithms();
    const auto found = std::find_if(all.begin(), all.end(), [&](const NamedAlgorithm& each) {
        return each.collective == collective && each.name == name;
    });
    return found == all.end() ? nullptr : &*found;
}

std::string_view algorithm_name(Collective collective, Algorithm algorithm) {
    if (collective == Collective::bcast && algorithm == binomial_doubling) return "binomial";
    if (algorithm == node_leaders_inline) algorithm = node_leaders;
    const auto& all = named_algorithms();
    const auto found = std::find_if(all.begin(), all.end(), [&](const NamedAlgorithm& each) {
        return each.collective == collective && each.algorithm == algorithm;
    });
    return found == all.end() ? std::string_view() : found->name;
}

}  // namespace linkworth::replay::collectives
