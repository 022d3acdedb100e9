// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mg_grid.hpp"

namespace linkworth::npb::mg {

/// The faces of a box and the ghosts around it, as messages: dense, x before y before z. A face across x has
/// no ghosts in it, one across y those of x, one across z those of x and y. Every direction is kLower or
/// kUpper.
class Faces {
  public:
    /// Buffers for boxes of any level of the layout.
    explicit Faces(const Layout& layout);

    /// Begins an exchange for boxes of this extent.
    void start(const Triple& extent);

    double* outgoing(int axis, int direction) { return sent_[axis][direction].data(); }
    double* incoming(int axis, int direction) { return received_[axis][direction].data(); }

    /// Copies what of row (y, z) without ghosts belongs to faces, whatever else the row is for.
    void store_row(const double* row, std::int64_t y, std::int64_t z);
    /// The same for all rows at the edges of a grid.
    void store(const Grid& grid);

    /// Puts ghosts that came in across `axis` into the faces across later axes.
    void complete(int axis);
    /// Makes the ghosts of an axis the opposite faces, as on a single rank, and completes.
    void wrap(int axis);

    /// Ghosts after the exchange: of row (y, z) beyond x; rows beyond y, from x = -1; rows beyond z, from x =
    /// -1 and y from -1 to its extent.
    const double* beyond_x(int direction) const { return ghosts_[0][direction]; }
    const double* row_beyond_y(int direction, std::int64_t z) const {
        return ghosts_[1][direction] + z * wide_ + 1;
    }
    const double* row_beyond_z(int direction, std::int64_t y) const {
        return ghosts_[2][direction] + (y + 1) * wide_ + 1;
    }

    /// Of a grid that holds its ghosts itself: its face into the buffer to be sent, and ghosts from those
    /// received.
    void pack(const Grid& grid, int axis, int direction);
    void unpack(const Grid& grid, int axis) const;

  private:
    double* face_row_y(int direction, std::int64_t z) { return outgoing(1, direction) + z * wide_ + 1; }
    double* face_row_z(int direction, std::int64_t y) { return outgoing(2, direction) + (y + 1) * wide_ + 1; }

    HugeArray<double> sent_[kAxes][2], received_[kAxes][2];
    const double* ghosts_[kAxes][2] = {};
    Triple extent_{};
    std::int64_t wide_ = 0;  ///< of a row with its ghosts
};

/// Ghosts of a grid that is its own neighbour everywhere.
void wrap(const Grid& grid);

}  // namespace linkworth::npb::mg
