// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "communicator.hpp"

/// Writes down what one rank of a program asks of its communicator, without MPI, data or other ranks: the
/// proof that the programs' communication stands apart from their arithmetic.
class RecordingCommunicator {
  public:
    struct Request {};

    RecordingCommunicator(int rank, std::vector<int> members) : rank_(rank), members_(std::move(members)) {}

    int rank() const { return rank_; }
    int size() const { return static_cast<int>(members_.size()); }
    double wall_time() const { return 0.0; }
    void mark_region(int level) { write("MPI_Pcontrol", -1, level); }
    void barrier() { write("MPI_Barrier", -1, 0); }

    template <class T>
    void broadcast(T*, std::size_t count, int) {
        write("MPI_Bcast", -1, count * sizeof(T));
    }
    template <class T>
    void reduce(linkworth::npb::Reduction, const T*, T*, std::size_t count, int) {
        write("MPI_Reduce", -1, count * sizeof(T));
    }
    template <class T>
    void allreduce(linkworth::npb::Reduction, const T*, T*, std::size_t count) {
        write("MPI_Allreduce", -1, count * sizeof(T));
    }
    template <class T>
    void alltoall(const T*, T*, std::size_t count) {
        write("MPI_Alltoall", size(), count * sizeof(T));
    }
    /// Writes the bytes that go out.
    template <class T>
    void alltoallv(const T*, std::span<const int> counts, T*, std::span<const int>) {
        std::size_t total = 0;
        for (const int count : counts) total += static_cast<std::size_t>(count);
        write("MPI_Alltoallv", size(), total * sizeof(T));
    }
    template <class T>
    void send(const T*, std::size_t count, int to, int) {
        write("MPI_Send", members_[to], count * sizeof(T));
    }
    template <class T>
    Request irecv(T*, std::size_t count, int from, int) {
        write("MPI_Irecv", members_[from], count * sizeof(T));
        return {};
    }
    template <class T>
    void recv(T*, std::size_t count, int from, int) {
        write("MPI_Recv", members_[from], count * sizeof(T));
    }
    template <class T>
    Request isend(const T*, std::size_t count, int to, int) {
        write("MPI_Isend", members_[to], count * sizeof(T));
        return {};
    }
    void wait_all(std::span<Request> requests) { write("MPI_Waitall", -1, requests.size()); }
    RecordingCommunicator duplicate() {
        write("MPI_Comm_dup", -1, 0);
        return *this;
    }
    void wait(Request&) { write("MPI_Wait", -1, 0); }

    template <class PlacementOfRank>
    RecordingCommunicator split(PlacementOfRank&& placement) {
        write("MPI_Comm_split", -1, 0);
        const auto mine = placement(rank_);
        std::vector<int> members(members_.size(), -1);
        int part_rank = 0, count = 0;
        for (int r = 0; r < size(); ++r) {
            const auto other = placement(r);
            if (other.colour != mine.colour) continue;
            members[other.key] = members_[r];
            part_rank += other.key < mine.key;
            ++count;
        }
        std::erase(members, -1);
        return {part_rank, members};
    }

  private:
    /// One line a call: function, peer's world rank (members for an all-to-all), bytes of one call (level of
    /// MPI_Pcontrol).
    static void write(const char* function, int peer, std::size_t bytes) {
        std::printf("%s %d %zu\n", function, peer, bytes);
    }

    int rank_;
    std::vector<int> members_;
};

static_assert(linkworth::npb::Communicator<RecordingCommunicator>);
