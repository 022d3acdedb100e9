// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/communicators.hpp"

#include <numeric>
#include <string>
#include <vector>

namespace linkworth::convert {

const replay::Membership* Otf2Communicators::find(std::uint32_t rank, std::int32_t number) const {
    return known_.find(rank, number);
}

std::uint32_t Otf2Communicators::ref(std::uint32_t rank, std::int32_t number) const {
    if (number == 0) return world;
    if (number == 1) return self;
    const replay::Membership* found = known_.find(rank, number);
    if (found == nullptr) return LW_OTF2_UNDEFINED;
    const auto entry = by_context_.find(found->communicator->context);
    return entry == by_context_.end() ? LW_OTF2_UNDEFINED : entry->second;
}

std::uint32_t Otf2Communicators::define(std::uint32_t rank, const tracefile::Shape& shape) {
    const std::uint32_t parent = ref(rank, shape.comm);
    const replay::Communicator* made = known_.define(rank, shape).communicator;
    const auto number = static_cast<std::uint32_t>(by_context_.size()) + self + 1;
    const auto [entry, added] = by_context_.try_emplace(made->context, number);
    if (added) archive_.emplace(number, Definition{made, parent});
    return entry->second;
}

void Otf2Communicators::write(const lw_otf2_interface& library, lw_otf2_writer* writer) const {
    constexpr auto doing = "the communicators";
    std::vector<std::uint64_t> members(ranks_);
    std::iota(members.begin(), members.end(), std::uint64_t{0});
    // A rank is the location of its first thread. These are 0, 1, ..., so that both first groups have the
    // same members.
    std::uint32_t groups = 0;
    const auto group = [&](lw_otf2_group kind, const std::vector<std::uint64_t>& of) {
        const auto size = static_cast<std::uint32_t>(of.size());
        otf2_check(library.group(writer, groups, kind, size, of.data()), doing);
        return groups++;
    };
    const auto comm = [&](const lw_otf2_comm& given) { otf2_check(library.comm(writer, &given), doing); };
    group(LW_OTF2_GROUP_LOCATIONS, members);
    comm({world, "MPI_COMM_WORLD", group(LW_OTF2_GROUP_RANKS, members), LW_OTF2_UNDEFINED, LW_OTF2_UNDEFINED,
          0});
    comm({self, "MPI_COMM_SELF", group(LW_OTF2_GROUP_SELF, {}), LW_OTF2_UNDEFINED, LW_OTF2_UNDEFINED, 0});
    for (const auto& [number, definition] : archive_) {
        const replay::Communicator& each = *definition.communicator;
        const std::uint32_t own = group(LW_OTF2_GROUP_RANKS, {each.members.begin(), each.members.end()});
        const std::uint32_t remote =
            each.inter ? group(LW_OTF2_GROUP_RANKS, {each.remote.begin(), each.remote.end()})
                       : LW_OTF2_UNDEFINED;
        // A parent that is written later, or lost, cannot be named.
        const std::uint32_t parent = definition.parent < number ? definition.parent : std::uint32_t{world};
        const std::string name = "communicator " + std::to_string(number);
        comm({number, name.c_str(), own, remote, parent, 1});
    }
}

}  // namespace linkworth::convert
