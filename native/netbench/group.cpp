// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "group.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

namespace linkworth::netbench {

int Group::node_count() const { return static_cast<int>(std::set<int>(nodes.begin(), nodes.end()).size()); }

Group world_group() {
    Group world;
    world.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(world.comm, &world.rank);
    MPI_Comm_size(world.comm, &world.size);
    char own[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    MPI_Get_processor_name(own, &length);
    std::vector<char> all(static_cast<std::size_t>(world.size) * MPI_MAX_PROCESSOR_NAME);
    MPI_Allgather(own, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                  world.comm);
    for (int rank = 0; rank < world.size; ++rank) {
        const std::string name = &all[static_cast<std::size_t>(rank) * MPI_MAX_PROCESSOR_NAME];
        const auto known = std::find(world.node_names.begin(), world.node_names.end(), name);
        world.nodes.push_back(static_cast<int>(known - world.node_names.begin()));
        if (known == world.node_names.end()) world.node_names.push_back(name);
    }
    return world;
}

Group part_of(const Group& whole, const std::vector<int>& members) {
    MPI_Group all, chosen;
    MPI_Comm_group(whole.comm, &all);
    MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &chosen);
    Group part;
    MPI_Comm_create(whole.comm, chosen, &part.comm);
    MPI_Group_free(&chosen);
    MPI_Group_free(&all);
    part.size = static_cast<int>(members.size());
    for (const int member : members) part.nodes.push_back(whole.nodes[static_cast<std::size_t>(member)]);
    if (part.is_member()) MPI_Comm_rank(part.comm, &part.rank);
    return part;
}

void wait_asleep(MPI_Comm comm) {
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    for (int here = 0; !here;) {
        MPI_Test(&request, &here, MPI_STATUS_IGNORE);
        if (!here) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace linkworth::netbench
