// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "../common/communicator.hpp"
#include "multi_partition.hpp"

namespace linkworth::npb::flow {

/// Number of the sides of the cells: 2 axis + 1 is the side of the successor's cells, 2 axis that of the
/// predecessor's.
inline constexpr int kSides = 6;
constexpr int side_axis(int side) { return side / 2; }
constexpr int side_step(int side) { return side % 2 == 1 ? 1 : -1; }

/// Numbers in the message through that side, either way: kReach layers of all components.
inline std::size_t face_message(const MultiPartition& layout, int side) {
    return static_cast<std::size_t>(layout.shared_face_points(side_axis(side), side_step(side)) * kReach *
                                    kComponents);
}

/// Packs the outermost kReach layers of this rank's cells, and puts the neighbours' in the ghosts.
template <class K>
concept FaceKernel = requires(K kernel, int side) {
    kernel.pack_faces();
    kernel.unpack_faces();
    { kernel.outgoing_face(side) } -> std::convertible_to<const double*>;
    { kernel.incoming_face(side) } -> std::convertible_to<double*>;
};

/// Brings every cell the layers beside it of the neighbouring cells: one message a side, all six at once. A
/// single rank has no neighbours and does nothing.
template <Communicator Comm, FaceKernel K>
void exchange_faces(Comm& comm, const MultiPartition& layout, K& kernel) {
    if (layout.cells() == 1) return;
    std::array<typename Comm::Request, 2 * kSides> requests;
    const auto neighbour = [&](int side) {
        const int axis = side_axis(side);
        return side_step(side) > 0 ? layout.successor(axis) : layout.predecessor(axis);
    };
    // A tag names the side that the message leaves through: two ranks may meet at several.
    for (int side = 0; side < kSides; ++side)
        requests[side] =
            comm.irecv(kernel.incoming_face(side), face_message(layout, side), neighbour(side), side ^ 1);
    kernel.pack_faces();
    for (int side = 0; side < kSides; ++side)
        requests[kSides + side] =
            comm.isend(kernel.outgoing_face(side), face_message(layout, side), neighbour(side), side);
    comm.wait_all(requests);
    kernel.unpack_faces();
}

}  // namespace linkworth::npb::flow
