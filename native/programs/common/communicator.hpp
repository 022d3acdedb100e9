// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

/// Operations that a program may use on its communicator. The programs are templates over this concept, so
/// that their communication is written once. MpiCommunicator runs it, and a recorder can write it down as a
/// trace without any data.
///
/// Counts are elements, not bytes. Pointers may be null if the implementation moves no data. A program must
/// not look into a buffer itself, only its kernel may.
namespace linkworth::npb {

enum class Reduction { sum, max };

/// Place of a rank in a split. Ranks of one colour share a new communicator, in the order of their keys.
struct Placement {
    int colour, key;
};

/// Source and tag of the messages are ranks of this communicator and numbers from 0.
template <class C>
concept Communicator =
    std::default_initializable<typename C::Request> &&
    requires(C comm, const C view, double* data, const double* input, std::size_t count, int rank, int level,
             Reduction operation, typename C::Request request, std::span<typename C::Request> requests,
             std::span<const int> counts, Placement (*placement)(int)) {
        { view.rank() } -> std::same_as<int>;
        { view.size() } -> std::same_as<int>;
        /// Seconds since some moment in the past.
        { comm.wall_time() } -> std::same_as<double>;
        /// Marks the timed region: level 1 at its start, 0 at its end (MPI_Pcontrol).
        comm.mark_region(level);
        comm.barrier();
        comm.broadcast(data, count, rank);
        comm.reduce(operation, input, data, count, rank);
        comm.allreduce(operation, input, data, count);
        /// `count` elements to and from every rank.
        comm.alltoall(input, data, count);
        /// Sends `counts[r]` elements to rank r, one rank's after the other's; received data has the same
        /// order. In place if both buffers are one; each rank must then get as many as it gives.
        comm.alltoallv(input, counts, data, counts);
        /// `count` elements of this rank, `counts[r]` of rank r, one rank's after the other's, to the root.
        /// Only the root needs `counts`.
        comm.gatherv(input, count, counts, data, rank);
        comm.send(input, count, rank, level);
        comm.recv(data, count, rank, level);
        { comm.isend(input, count, rank, level) } -> std::same_as<typename C::Request>;
        { comm.irecv(data, count, rank, level) } -> std::same_as<typename C::Request>;
        comm.wait(request);
        comm.wait_all(requests);
        /// The same ranks with message spaces of their own.
        { comm.duplicate() } -> std::same_as<C>;
        /// `placement(rank)` is defined for every rank, not only this one, so that a recorder can find the
        /// members without running.
        { comm.split(placement) } -> std::same_as<C>;
    };

}  // namespace linkworth::npb
