// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/node_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "profile/communicators.hpp"

namespace linkworth::profile {
namespace {

using tracefile::CallClass;

bool splits_by_node(std::string_view name) { return name.ends_with("MPI_Comm_split_type"); }

bool shares_memory(std::string_view name) {
    return name.ends_with("MPI_Win_allocate_shared") || name.ends_with("MPI_Win_allocate_shared_c");
}

bool is_message(CallClass call_class) {
    switch (call_class) {
        case CallClass::send:
        case CallClass::isend:
        case CallClass::recv:
        case CallClass::irecv:
        case CallClass::sendrecv:
        case CallClass::isendrecv:
        case CallClass::send_init:
        case CallClass::recv_init:
            return true;
        default:
            return tracefile::is_collective(call_class);
    }
}

class Groups {
  public:
    explicit Groups(const tracefile::Trace& trace) : trace_(trace), lists_(trace.ranks()) {}

    void read(std::uint32_t rank) {
        Communicators communicators(lists_, static_cast<std::int32_t>(rank), trace_.ranks());
        std::unordered_map<std::int32_t, std::size_t> group_of;
        tracefile::RankCursor cursor = trace_.cursor(rank);
        tracefile::Event event;
        while (cursor.next(event)) {
            const tracefile::Shape& shape = *event.shape;
            const auto from = group_of.find(shape.comm);
            if (shape.call_class == CallClass::comm_new || shape.call_class == CallClass::icomm_new) {
                communicators.define(shape);
                if (shape.new_comm < 0) {
                    continue;
                }
                group_of.erase(shape.new_comm);
                if (splits_by_node(trace_.names()[shape.name])) {
                    group_of[shape.new_comm] = add(communicators, shape.new_comm, shape.comm, false);
                } else if (from != group_of.end()) {
                    group_of[shape.new_comm] = from->second;
                }
            } else if (shape.call_class == CallClass::win_new && shares_memory(trace_.names()[shape.name])) {
                add(communicators, shape.comm, shape.comm, true);
            } else if (from != group_of.end() && is_message(shape.call_class)) {
                ++found_[from->second].calls;
            }
        }
    }

    std::vector<NodeGroup> take() { return std::move(found_); }

  private:
    std::size_t add(const Communicators& communicators, std::int32_t comm, std::int32_t parent, bool window) {
        const std::vector<std::int32_t> members = members_of(communicators, comm);
        const std::vector<std::int32_t> among = members_of(communicators, parent);
        const auto [place, is_new] =
            index_.try_emplace({window, lists_.number(members), lists_.number(among)}, found_.size());
        if (is_new) {
            found_.push_back({window, members, among, 0});
        }
        return place->second;
    }

    static std::vector<std::int32_t> members_of(const Communicators& communicators, std::int32_t comm) {
        const Communicators::Known known = communicators.find(comm);
        if (known.group < 0) {
            return {};
        }
        const std::span<const std::int32_t> members = communicators.group(known.group).members;
        return {members.begin(), members.end()};
    }

    const tracefile::Trace& trace_;
    MemberLists lists_;
    std::vector<NodeGroup> found_;
    std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::size_t> index_;
};

}  // namespace

std::vector<NodeGroup> node_groups(const tracefile::Trace& trace) {
    const auto asks = [](const std::string& name) { return splits_by_node(name) || shares_memory(name); };
    if (!std::ranges::any_of(trace.names(), asks)) {
        return {};
    }
    Groups groups(trace);
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        groups.read(rank);
    }
    return groups.take();
}

}  // namespace linkworth::profile
