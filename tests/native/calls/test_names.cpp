// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/names.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace linkworth::tests {
namespace {

using tracefile::Collective;
using tracefile::collective_by_name;
using tracefile::communicates;

TEST(Names, EveryFormOfACollectiveIsTheCollective) {
    for (const char* name : {"MPI_Allreduce", "MPI_Iallreduce", "MPI_Allreduce_init", "MPI_Allreduce_c",
                             "MPI_Iallreduce_c", "MPI_Allreduce_init_c", "PMPI_Allreduce"}) {
        EXPECT_EQ(collective_by_name(name), Collective::allreduce) << name;
    }
    EXPECT_EQ(collective_by_name("MPI_Ireduce_scatter_block"), Collective::reduce_scatter_block);
    EXPECT_EQ(collective_by_name("MPI_Reduce_scatter_init"), Collective::reduce_scatter);
    EXPECT_EQ(collective_by_name("MPI_Ibarrier"), Collective::barrier);
    for (const char* name :
         {"MPI_Neighbor_alltoallw", "MPI_Ineighbor_alltoallw_c", "MPI_Neighbor_alltoallw_init"}) {
        EXPECT_EQ(collective_by_name(name), Collective::neighbor_alltoallw) << name;
    }
    EXPECT_EQ(collective_by_name("MPI_Ineighbor_allgather"), Collective::neighbor_allgather);
    for (const char* name :
         {"MPI_Init", "MPI_Dist_graph_neighbors", "MPI_Reduce_local", "MPI_Isend", "allreduce", ""}) {
        EXPECT_EQ(collective_by_name(name), Collective::none) << name;
    }
}

TEST(Names, CallsWithoutAModelThatMoveDataAreKnown) {
    for (const char* name :
         {"MPI_Put", "MPI_Rget", "MPI_Accumulate", "MPI_Win_fence", "MPI_Win_lock_all",
          "MPI_Ineighbor_allgather", "MPI_Psend_init", "MPI_Pready_range", "MPI_Comm_spawn_multiple",
          "MPI_Comm_accept", "MPI_Isendrecv_replace", "MPI_Bsend_init", "MPI_Recv_c", "MPI_Waitsome"}) {
        EXPECT_TRUE(communicates(name)) << name;
    }
    for (const char* name :
         {"MPI_Comm_rank", "MPI_Win_get_attr", "MPI_File_write_at_all", "MPI_Type_commit", "MPI_Wtime",
          "MPI_Test", "MPI_Iprobe", "MPI_Win_attach", "MPI_Win_detach", "MPI_Win_shared_query", "MPI_Win_c2f",
          "MPI_Get_count", "MPI_Get_processor_name"}) {
        EXPECT_FALSE(communicates(name)) << name;
    }
}

TEST(Names, ATableMayHaveRoomLeftAndNamesOfNothing) {
    for (const std::size_t room : {0U, 1U, 255U, 256U, 257U, 600U, 70000U}) {
        std::string table("one\0\0three", 10);
        table.append(1 + room, '\0');
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(table.data());
        const std::vector<std::string> expected = {"one", "", "three"};
        EXPECT_EQ(tracefile::split_names({bytes, table.size()}), expected) << room;
    }
    const std::vector<std::uint8_t> zeros(1000, 0);
    EXPECT_TRUE(tracefile::split_names(zeros).empty());
}

}  // namespace
}  // namespace linkworth::tests
