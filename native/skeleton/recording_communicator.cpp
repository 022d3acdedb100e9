// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "skeleton/recording_communicator.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace linkworth::skeleton {

using tracefile::CallClass;
using tracefile::Shape;

RecordingCommunicator::RecordingCommunicator(RankRecorder& recorder, int number, Members members, int rank)
    : recorder_(&recorder), number_(number), members_(std::move(members)), rank_(rank) {
    size_ = static_cast<int>(members_->size());
    ask_rank_and_size();
}

std::vector<std::int32_t> RecordingCommunicator::world_ranks() const {
    if (members_) return *members_;
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(size_));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

RecordingCommunicator RecordingCommunicator::split_by(const std::vector<npb::Placement>& placements) {
    const auto placement = [&](std::int32_t r) { return placements[static_cast<std::size_t>(r)]; };
    std::vector<std::int32_t> order;
    for (std::int32_t r = 0; r < size_; ++r)
        if (placement(r).colour == placement(rank_).colour) order.push_back(r);
    // Ranks of equal keys keep their order (MPI-4.1, 7.4.2).
    std::ranges::stable_sort(order, {}, [&](std::int32_t r) { return placement(r).key; });
    const auto mine = static_cast<int>(std::ranges::find(order, rank_) - order.begin());
    if (members_)
        for (std::int32_t& r : order) r = (*members_)[static_cast<std::size_t>(r)];
    return derive(Call::comm_split, std::move(order), mine);
}

RecordingCommunicator RecordingCommunicator::derive(Call call, std::vector<std::int32_t> members, int rank) {
    Shape& shape = recorder_->fresh_shape();
    shape.call_class = CallClass::comm_new;
    shape.comm = number_;
    shape.new_comm = recorder_->new_communicator();
    shape.members = members;
    const int number = shape.new_comm;
    recorder_->record(call, shape);
    return {*recorder_, number, std::make_shared<const std::vector<std::int32_t>>(std::move(members)), rank};
}

void RecordingCommunicator::collective(Call call, int root, std::uint64_t bytes,
                                       std::uint32_t element_bytes) {
    Shape& shape = recorder_->fresh_shape();
    shape.bytes = shape.recv_bytes = bytes;
    shape.element_bytes = element_bytes;
    finish_collective(call, root, shape);
}

void RecordingCommunicator::finish_collective(Call call, int root, Shape& shape) {
    shape.call_class = CallClass::collective;
    shape.comm = number_;
    shape.peer = root;
    recorder_->record(call, shape);
}

std::uint64_t RecordingCommunicator::append_bytes(std::span<const int> counts, std::size_t element_bytes,
                                                  std::vector<std::uint64_t>& bytes) {
    for (const int count : counts) bytes.push_back(static_cast<std::uint64_t>(count) * element_bytes);
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

}  // namespace linkworth::skeleton
