// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/collectives/neighborhood.hpp"

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace linkworth::replay::collectives {
namespace {

using tracefile::Collective;

/// An existing neighbour, and the data that goes to it or comes from it.
struct Piece {
    std::uint32_t peer = 0;
    std::uint64_t bytes = 0;
};

std::vector<Piece> pieces_of(const std::vector<std::int32_t>& neighbours, std::uint64_t bytes,
                             const std::vector<std::uint64_t>* listed, std::uint32_t size) {
    if (listed != nullptr && listed->size() != neighbours.size())
        throw std::invalid_argument("per-neighbour counts do not fit the neighbours");
    std::vector<Piece> pieces;
    for (std::size_t at = 0; at < neighbours.size(); ++at) {
        const std::int32_t peer = neighbours[at];
        if (peer == tracefile::proc_null) continue;
        if (peer < 0 || std::cmp_greater_equal(peer, size))
            throw std::invalid_argument("a neighbour that is no rank of the communicator");
        pieces.push_back({static_cast<std::uint32_t>(peer), listed == nullptr ? bytes : (*listed)[at]});
    }
    return pieces;
}

Schedule exchange(std::vector<Piece> incoming, std::vector<Piece> outgoing) {
    for (const Piece& piece : incoming) co_yield receive_from(piece.peer, piece.bytes);
    for (const Piece& piece : outgoing) co_yield send_to(piece.peer, piece.bytes);
    co_yield wait_all();
}

}  // namespace

bool is_neighborhood(Collective collective) {
    switch (collective) {
        case Collective::neighbor_allgather:
        case Collective::neighbor_allgatherv:
        case Collective::neighbor_alltoall:
        case Collective::neighbor_alltoallv:
        case Collective::neighbor_alltoallw: return true;
        default: return false;
    }
}

Schedule neighborhood_schedule(const tracefile::Shape& shape, const Neighbours& neighbours,
                               std::uint32_t size) {
    const bool sends_lists = shape.collective == Collective::neighbor_alltoallv ||
                             shape.collective == Collective::neighbor_alltoallw;
    const bool receives_lists = sends_lists || shape.collective == Collective::neighbor_allgatherv;
    return exchange(
        pieces_of(neighbours.sources, shape.recv_bytes, receives_lists ? &shape.recv_counts : nullptr, size),
        pieces_of(neighbours.destinations, shape.bytes, sends_lists ? &shape.send_counts : nullptr, size));
}

}  // namespace linkworth::replay::collectives
