// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "programs/common/communicator.hpp"
#include "skeleton/rank_recorder.hpp"

namespace linkworth::skeleton {

/// The communicator of a program that is recorded without running: no MPI, no data, no other rank. A copy is
/// the same communicator.
class RecordingCommunicator {
  public:
    using Request = skeleton::Request;

    /// The world, as a program makes it of MPI_COMM_WORLD.
    RecordingCommunicator(RankRecorder& recorder, int rank) : recorder_(&recorder), rank_(rank) {
        size_ = recorder.ranks();
        ask_rank_and_size();
    }

    int rank() const { return rank_; }
    int size() const { return size_; }
    double wall_time() {
        recorder_->local(Call::wall_time);
        return recorder_->seconds();
    }
    void mark_region(int level) { recorder_->mark_region(level); }
    void barrier() { collective(Call::barrier, kNoRoot, 0, 1); }

    template <class T>
    void broadcast(const T*, std::size_t count, int root) {
        collective(Call::broadcast, root, count * sizeof(T), 1);
    }
    template <class T>
    void reduce(npb::Reduction, const T*, T*, std::size_t count, int root) {
        collective(Call::reduce, root, count * sizeof(T), sizeof(T));
    }
    template <class T>
    void allreduce(npb::Reduction, const T*, T*, std::size_t count) {
        collective(Call::allreduce, kNoRoot, count * sizeof(T), sizeof(T));
    }
    template <class T>
    void alltoall(const T*, T*, std::size_t count) {
        collective(Call::alltoall, kNoRoot, count * sizeof(T), 1);
    }
    template <class T>
    void alltoallv(const T*, std::span<const int> input_counts, T*, std::span<const int> output_counts) {
        tracefile::Shape& shape = recorder_->fresh_shape();
        shape.bytes = append_bytes(input_counts, sizeof(T), shape.send_counts);
        shape.recv_bytes = append_bytes(output_counts, sizeof(T), shape.recv_counts);
        finish_collective(Call::alltoallv, kNoRoot, shape);
    }
    template <class T>
    void gatherv(const T*, std::size_t count, std::span<const int> counts, T*, int root) {
        tracefile::Shape& shape = recorder_->fresh_shape();
        shape.bytes = count * sizeof(T);
        if (rank_ == root) shape.recv_bytes = append_bytes(counts, sizeof(T), shape.recv_counts);
        finish_collective(Call::gatherv, root, shape);
    }
    template <class T>
    void send(const T*, std::size_t count, int destination, int tag) {
        recorder_->message(Call::send, tracefile::CallClass::send, number_, destination, tag,
                           count * sizeof(T));
    }
    template <class T>
    void recv(T*, std::size_t count, int source, int tag) {
        recorder_->message(Call::recv, tracefile::CallClass::recv, number_, source, tag, count * sizeof(T));
    }
    template <class T>
    Request isend(const T*, std::size_t count, int destination, int tag) {
        return recorder_->start_message(Call::isend, tracefile::CallClass::isend, number_, destination, tag,
                                        count * sizeof(T));
    }
    template <class T>
    Request irecv(T*, std::size_t count, int source, int tag) {
        return recorder_->start_message(Call::irecv, tracefile::CallClass::irecv, number_, source, tag,
                                        count * sizeof(T));
    }
    void wait(Request& request) { recorder_->wait(request); }
    void wait_all(std::span<Request> requests) { recorder_->wait_all(requests); }

    RecordingCommunicator duplicate() { return derive(Call::comm_duplicate, world_ranks(), rank_); }
    template <class PlacementOfRank>
    RecordingCommunicator split(PlacementOfRank&& placement) {
        std::vector<npb::Placement> placements(static_cast<std::size_t>(size_));
        for (int r = 0; r < size_; ++r) placements[static_cast<std::size_t>(r)] = placement(r);
        return split_by(placements);
    }

  private:
    static constexpr int kNoRoot = -1;
    using Members = std::shared_ptr<const std::vector<std::int32_t>>;

    RecordingCommunicator(RankRecorder& recorder, int number, Members members, int rank);

    void ask_rank_and_size() {
        recorder_->local(Call::comm_rank);
        recorder_->local(Call::comm_size);
    }
    /// World ranks in the order of this communicator.
    std::vector<std::int32_t> world_ranks() const;
    RecordingCommunicator split_by(const std::vector<npb::Placement>& placements);
    RecordingCommunicator derive(Call call, std::vector<std::int32_t> members, int rank);
    /// `bytes` to and from a peer. `element_bytes` as in the format: of a reduction, else 1.
    void collective(Call call, int root, std::uint64_t bytes, std::uint32_t element_bytes);
    void finish_collective(Call call, int root, tracefile::Shape& shape);
    /// Returns their sum.
    static std::uint64_t append_bytes(std::span<const int> counts, std::size_t element_bytes,
                                      std::vector<std::uint64_t>& bytes);

    RankRecorder* recorder_;
    int number_ = 0;
    Members members_;  ///< null: the world's own order
    int rank_;
    int size_ = 0;
};

static_assert(npb::Communicator<RecordingCommunicator>);

}  // namespace linkworth::skeleton
