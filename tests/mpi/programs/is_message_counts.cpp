// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// is_message_counts CLASS RANKS: generates the keys of IS and prints what each rank sends to each other one
// in the first ranking, one sender a line. Needs no MPI: it goes through the ranks one after the other.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "is/sorter.hpp"

int main(int argc, char** argv) {
    using namespace linkworth::npb::is;
    if (argc != 3) return 2;
    const int ranks = std::atoi(argv[2]);
    const Class* problem = nullptr;
    for (const Class& entry : kClasses)
        if (entry.letter == argv[1][0]) problem = &entry;
    if (!problem || !rank_problem(*problem, ranks).empty()) return 2;

    std::vector<std::unique_ptr<SortKernel>> kernels;
    std::vector<int> totals;
    for (int rank = 0; rank < ranks; ++rank) {
        kernels.push_back(std::make_unique<SortKernel>(*problem, rank, ranks));
        if (rank == 0) kernels[0]->change_keys(1);
        kernels.back()->count_buckets();
        const auto sizes = kernels.back()->bucket_sizes();
        totals.resize(sizes.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) totals[i] += sizes[i];
    }
    for (auto& kernel : kernels) {
        std::copy(totals.begin(), totals.end(), kernel->bucket_totals());
        kernel->scatter_keys();
        for (const int count : kernel->outgoing_counts()) std::printf("%d ", count);
        std::printf("\n");
    }
    return 0;
}
