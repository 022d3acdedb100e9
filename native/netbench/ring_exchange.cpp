// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "ring_exchange.hpp"

#include <algorithm>
#include <array>

namespace linkworth::netbench {
namespace {
// Tags by the direction of a message: in a ring of two, both come from the same partner.
constexpr int kToRight = 1;
constexpr int kToLeft = 2;
}  // namespace

RingExchange::RingExchange(MPI_Comm comm, std::int64_t longest)
    : comm_(comm), out_(static_cast<std::size_t>(2 * longest), 'a'), in_(out_.size(), 'b') {
    int ranks = 0;
    MPI_Comm_size(comm_, &ranks);
    counts_.resize(static_cast<std::size_t>(ranks));
    places_.resize(counts_.size());
}

void RingExchange::run(Method method, const Neighbours& neighbours, std::int64_t bytes) {
    const int size = static_cast<int>(bytes);
    if (method == Method::sendrecv)
        by_sendrecv(neighbours, size);
    else if (method == Method::alltoallv)
        by_alltoallv(neighbours, size);
    else
        by_nonblocking(neighbours, size);
}

void RingExchange::by_sendrecv(const Neighbours& neighbours, int bytes) {
    MPI_Sendrecv(out_.data(), bytes, MPI_BYTE, neighbours.right, kToRight, in_.data(), bytes, MPI_BYTE,
                 neighbours.left, kToRight, comm_, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out_.data() + bytes, bytes, MPI_BYTE, neighbours.left, kToLeft, in_.data() + bytes, bytes,
                 MPI_BYTE, neighbours.right, kToLeft, comm_, MPI_STATUS_IGNORE);
}

void RingExchange::by_alltoallv(const Neighbours& neighbours, int bytes) {
    std::fill(counts_.begin(), counts_.end(), 0);
    std::fill(places_.begin(), places_.end(), 0);
    counts_[static_cast<std::size_t>(neighbours.left)] += bytes;
    counts_[static_cast<std::size_t>(neighbours.right)] += bytes;
    if (neighbours.left != neighbours.right) places_[static_cast<std::size_t>(neighbours.right)] = bytes;
    MPI_Alltoallv(out_.data(), counts_.data(), places_.data(), MPI_BYTE, in_.data(), counts_.data(),
                  places_.data(), MPI_BYTE, comm_);
}

void RingExchange::by_nonblocking(const Neighbours& neighbours, int bytes) {
    std::array<MPI_Request, 4> requests;
    MPI_Irecv(in_.data(), bytes, MPI_BYTE, neighbours.left, kToRight, comm_, &requests[0]);
    MPI_Irecv(in_.data() + bytes, bytes, MPI_BYTE, neighbours.right, kToLeft, comm_, &requests[1]);
    MPI_Isend(out_.data(), bytes, MPI_BYTE, neighbours.right, kToRight, comm_, &requests[2]);
    MPI_Isend(out_.data() + bytes, bytes, MPI_BYTE, neighbours.left, kToLeft, comm_, &requests[3]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace linkworth::netbench
