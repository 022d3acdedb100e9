// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "communicator.hpp"

namespace linkworth::npb {

/// Forwards to MPI. A communicator made by split lives until MPI_Finalize, as in the official programs.
/// Errors inside MPI end the job (MPI_ERRORS_ARE_FATAL, the default).
class MpiCommunicator {
  public:
    using Request = MPI_Request;

    explicit MpiCommunicator(MPI_Comm comm) : comm_(comm) {
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &size_);
    }

    int rank() const { return rank_; }
    int size() const { return size_; }
    double wall_time() const { return MPI_Wtime(); }
    void mark_region(int level) { MPI_Pcontrol(level); }
    void barrier() { MPI_Barrier(comm_); }

    template <class T>
    void broadcast(T* data, std::size_t count, int root) {
        MPI_Bcast(data, narrow(count), type<T>(), root, comm_);
    }
    template <class T>
    void reduce(Reduction operation, const T* input, T* output, std::size_t count, int root) {
        MPI_Reduce(input, output, narrow(count), type<T>(), mpi_operation(operation), root, comm_);
    }
    template <class T>
    void allreduce(Reduction operation, const T* input, T* output, std::size_t count) {
        MPI_Allreduce(input, output, narrow(count), type<T>(), mpi_operation(operation), comm_);
    }
    template <class T>
    void alltoall(const T* input, T* output, std::size_t count) {
        MPI_Alltoall(input, narrow(count), type<T>(), output, narrow(count), type<T>(), comm_);
    }
    template <class T>
    void alltoallv(const T* input, std::span<const int> input_counts, T* output,
                   std::span<const int> output_counts) {
        const std::vector<int> from = offsets(input_counts), to = offsets(output_counts);
        MPI_Alltoallv(input == output ? MPI_IN_PLACE : input, input_counts.data(), from.data(), type<T>(),
                      output, output_counts.data(), to.data(), type<T>(), comm_);
    }
    template <class T>
    void gatherv(const T* input, std::size_t count, std::span<const int> counts, T* output, int root) {
        const std::vector<int> to = rank_ == root ? offsets(counts) : std::vector<int>();
        MPI_Gatherv(input, narrow(count), type<T>(), output, counts.data(), to.data(), type<T>(), root,
                    comm_);
    }
    template <class T>
    void send(const T* data, std::size_t count, int destination, int tag) {
        MPI_Send(data, narrow(count), type<T>(), destination, tag, comm_);
    }
    template <class T>
    Request irecv(T* data, std::size_t count, int source, int tag) {
        Request request;
        MPI_Irecv(data, narrow(count), type<T>(), source, tag, comm_, &request);
        return request;
    }
    template <class T>
    void recv(T* data, std::size_t count, int source, int tag) {
        MPI_Recv(data, narrow(count), type<T>(), source, tag, comm_, MPI_STATUS_IGNORE);
    }
    template <class T>
    Request isend(const T* data, std::size_t count, int destination, int tag) {
        Request request;
        MPI_Isend(data, narrow(count), type<T>(), destination, tag, comm_, &request);
        return request;
    }
    void wait(Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }
    void wait_all(std::span<Request> requests) {
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
    MpiCommunicator duplicate() {
        MPI_Comm copy;
        MPI_Comm_dup(comm_, &copy);
        return MpiCommunicator(copy);
    }

    template <class PlacementOfRank>
    MpiCommunicator split(PlacementOfRank&& placement) {
        const Placement mine = placement(rank_);
        MPI_Comm part;
        MPI_Comm_split(comm_, mine.colour, mine.key, &part);
        return MpiCommunicator(part);
    }

  private:
    template <class T>
    static MPI_Datatype type() {
        if constexpr (std::is_same_v<T, double>)
            return MPI_DOUBLE;
        else if constexpr (std::is_same_v<T, int>)
            return MPI_INT;
        else {
            static_assert(std::is_same_v<T, std::complex<double>>, "no MPI datatype for this element");
            return MPI_C_DOUBLE_COMPLEX;
        }
    }
    static MPI_Op mpi_operation(Reduction operation) {
        return operation == Reduction::sum ? MPI_SUM : MPI_MAX;
    }
    static int narrow(std::size_t count) {
        if (count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
            throw std::length_error("a message of " + std::to_string(count) +
                                    " elements is more than one MPI call can carry; use more ranks");
        return static_cast<int>(count);
    }

    static std::vector<int> offsets(std::span<const int> counts) {
        std::vector<int> result(counts.size(), 0);
        std::int64_t next = 0;
        for (std::size_t i = 0; i < counts.size(); next += counts[i++])
            result[i] = narrow(static_cast<std::size_t>(next));
        return result;
    }

    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 0;
};

static_assert(Communicator<MpiCommunicator>);

}  // namespace linkworth::npb
