// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/node_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "calls/communicators.hpp"

namespace linkworth::profile {
namespace {

using tracefile::CallClass;
using Members = std::vector<std::int32_t>;

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
        case CallClass::psend_init:
        case CallClass::precv_init: return true;
        default: return tracefile::is_collective(call_class);
    }
}

class Groups {
  public:
    explicit Groups(const tracefile::Trace& trace) : trace_(trace), communicators_(trace.ranks()) {}

    void read(std::uint32_t rank) {
        std::unordered_map<std::int32_t, std::size_t> group_of, group_of_window;
        tracefile::RankCursor cursor = trace_.cursor(rank);
        tracefile::Event event;
        while (cursor.next(event)) {
            const tracefile::Shape& shape = *event.shape;
            const auto from = group_of.find(shape.comm);
            if (shape.call_class == CallClass::comm_new || shape.call_class == CallClass::icomm_new) {
                if (shape.new_comm < 0) continue;
                try {
                    communicators_.define(rank, shape);
                } catch (const std::invalid_argument&) {
                    continue;  // of a damaged trace, which the replay refuses
                }
                group_of.erase(shape.new_comm);
                if (splits_by_node(trace_.names()[shape.name]))
                    group_of[shape.new_comm] = add(rank, shape.new_comm, shape.comm, false);
                else if (from != group_of.end())
                    group_of[shape.new_comm] = from->second;
            } else if (shape.call_class == CallClass::win_new) {
                if (shares_memory(trace_.names()[shape.name])) add(rank, shape.comm, shape.comm, true);
                group_of_window.erase(shape.new_window);
                if (from != group_of.end()) group_of_window[shape.new_window] = from->second;
            } else if (shape.call_class == CallClass::rma || shape.call_class == CallClass::irma) {
                const auto window = group_of_window.find(shape.window);
                if (window != group_of_window.end()) ++found_[window->second].calls;
            } else if (from != group_of.end() && is_message(shape.call_class)) {
                ++found_[from->second].calls;
            }
        }
    }

    std::vector<NodeGroup> take() { return std::move(found_); }

  private:
    std::size_t add(std::uint32_t rank, std::int32_t comm, std::int32_t parent, bool window) {
        const Members members = members_of(rank, comm);
        const Members among = members_of(rank, parent);
        const auto [place, is_new] = index_.try_emplace({window, members, among}, found_.size());
        if (is_new) found_.push_back({window, members, among, 0});
        return place->second;
    }

    Members members_of(std::uint32_t rank, std::int32_t comm) {
        const replay::Membership* const found = communicators_.find(rank, comm);
        if (found == nullptr) return {};
        return {found->communicator->members.begin(), found->communicator->members.end()};
    }

    const tracefile::Trace& trace_;
    replay::Communicators communicators_;
    std::vector<NodeGroup> found_;
    std::map<std::tuple<bool, Members, Members>, std::size_t> index_;
};

}  // namespace

std::vector<NodeGroup> node_groups(const tracefile::Trace& trace) {
    const auto asks = [](const std::string& name) { return splits_by_node(name) || shares_memory(name); };
    if (!std::ranges::any_of(trace.names(), asks)) return {};
    Groups groups(trace);
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) groups.read(rank);
    return groups.take();
}

}  // namespace linkworth::profile
