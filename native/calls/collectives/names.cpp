// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "calls/collectives/operation.hpp"

namespace linkworth::replay::collectives {
namespace {

using enum Algorithm;

void add(std::vector<NamedAlgorithm>& all, std::initializer_list<Collective> collectives,
         std::initializer_list<std::pair<std::string_view, Algorithm>> algorithms) {
    for (const Collective collective : collectives)
        for (const auto& [name, algorithm] : algorithms) all.push_back({collective, name, algorithm});
}

std::vector<NamedAlgorithm> make_names() {
    std::vector<NamedAlgorithm> all;
    add(all, {Collective::barrier},
        {{"linear", linear},
         {"double_ring", double_ring},
         {"recursive_doubling", recursive_doubling},
         {"bruck", bruck},
         {"two_proc", two_proc},
         {"tree", tree},
         {"smp", node_leaders},
         {"han", han}});
    add(all, {Collective::bcast},
        {{"linear", linear},
         {"chain", chain},
         {"pipeline", pipeline},
         {"split_binary", split_binary},
         {"binary", binary},
         {"binomial", binomial},
         {"knomial", knomial},
         {"scatter_allgather", scatter_allgather},
         {"scatter_allgather_ring", scatter_allgather_ring},
         {"smp", node_leaders},
         {"han", han}});
    add(all, {Collective::reduce},
        {{"linear", linear},
         {"chain", chain},
         {"pipeline", pipeline},
         {"binary", binary},
         {"binomial", binomial},
         {"in_order_binary", in_order_binary},
         {"rabenseifner", rabenseifner},
         {"smp", node_leaders},
         {"han", han}});
    add(all, {Collective::allreduce},
        {{"linear", linear},
         {"nonoverlapping", nonoverlapping},
         {"recursive_doubling", recursive_doubling},
         {"ring", ring},
         {"segmented_ring", segmented_ring},
         {"rabenseifner", rabenseifner},
         {"tree", tree},
         {"smp", node_leaders},
         {"han", han}});
    add(all, {Collective::allgather},
        {{"linear", linear},
         {"bruck", bruck},
         {"recursive_doubling", recursive_doubling},
         {"ring", ring},
         {"neighbor", neighbor},
         {"two_proc", two_proc},
         {"gather_bcast", gather_bcast},
         {"han", han}});
    add(all, {Collective::allgatherv},
        {{"linear", linear},
         {"bruck", bruck},
         {"recursive_doubling", recursive_doubling},
         {"ring", ring},
         {"neighbor", neighbor},
         {"two_proc", two_proc},
         {"gather_bcast", gather_bcast}});
    add(all, {Collective::alltoall},
        {{"linear", linear},
         {"pairwise", pairwise},
         {"pairwise_xor", pairwise_xor},
         {"bruck", bruck},
         {"linear_sync", linear_sync},
         {"two_proc", two_proc}});
    add(all, {Collective::alltoallv, Collective::alltoallw}, {{"linear", linear}, {"pairwise", pairwise}});
    add(all, {Collective::gather},
        {{"linear", linear}, {"binomial", binomial}, {"linear_sync", linear_sync}, {"han", han}});
    add(all, {Collective::scatter}, {{"linear", linear}, {"binomial", binomial}, {"han", han}});
    add(all, {Collective::gatherv, Collective::scatterv}, {{"linear", linear}});
    add(all, {Collective::reduce_scatter, Collective::reduce_scatter_block},
        {{"nonoverlapping", nonoverlapping},
         {"recursive_halving", recursive_halving},
         {"recursive_doubling", recursive_doubling},
         {"ring", ring},
         {"butterfly", butterfly},
         {"pairwise", pairwise}});
    add(all, {Collective::scan},
        {{"linear", linear}, {"recursive_doubling", recursive_doubling}, {"smp", node_leaders}});
    add(all, {Collective::exscan}, {{"linear", linear}, {"recursive_doubling", recursive_doubling}});
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
