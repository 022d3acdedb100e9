// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "../huge_array.hpp"
#include "face_exchange.hpp"
#include "field.hpp"

namespace linkworth::npb::flow {

/// Buffers of the faces' messages, and the copying between them and the cells' fields.
class Faces {
  public:
    Faces() = default;
    explicit Faces(const MultiPartition& layout);

    /// `cells`: the fields by cell number, with kReach ghosts.
    void pack(std::span<const Field> cells);
    void unpack(std::span<Field> cells) const;
    const double* outgoing(int side) const { return outgoing_[side].data(); }
    double* incoming(int side) { return incoming_[side].data(); }

  private:
    /// Calls use(cell number) for each cell that has a neighbour at that side, in the order of the slabs,
    /// which is the same for both ends of a message.
    template <class Use>
    void for_each_cell(int side, Use&& use) const;

    MultiPartition layout_{1, 0, 1};
    std::array<HugeArray<double>, kSides> outgoing_, incoming_;
};

}  // namespace linkworth::npb::flow
