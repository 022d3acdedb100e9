// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "../flow/blocks.hpp"
#include "../flow/field.hpp"
#include "../flow/right_hand_side.hpp"
#include "lu.hpp"

namespace linkworth::npb::lu {

/// Fields of one rank and the arithmetic on them; see the concept for each function. Indices of the fields
/// count from the first inner point of the pencil. The grid's boundary is in the ghosts.
class PencilKernel {
  public:
    PencilKernel(const Class& problem, const Layout& layout);

    void fill_exact();
    void fill_initial();
    void pack_ghosts(Side side);
    void unpack_ghosts(Side side);
    const double* outgoing_ghosts(Side) const { return outgoing_ghosts_.data(); }
    double* incoming_ghosts(Side) { return incoming_ghosts_.data(); }
    void right_hand_side();
    void take_forcing();
    void lower(int plane);
    void upper(int plane);
    void add_changes();
    const double* outgoing_line(Side side) const { return outgoing_lines_[side].data(); }
    double* incoming_line(Side side) { return incoming_lines_[side].data(); }
    void add_squares(State& sums) const;
    void add_squared_errors(State& sums) const;
    void take_faces(int axis);
    void pack_face_line(Side side, int face);
    void unpack_face_line(Side side, int face);
    const double* outgoing_face_line() const { return outgoing_face_line_.data(); }
    double* incoming_face_line() { return incoming_face_line_.data(); }
    double face_sum() const;

  private:
    /// Pressures on one face, on own points and one more on each side of both of its axes.
    struct Face {
        Range first, second;  ///< own points along its axes, counted from the grid's boundary
        std::vector<double> values;
        double& at(int i, int j) { return values[index(i, j)]; }
        double at(int i, int j) const { return values[index(i, j)]; }
        std::size_t index(int i, int j) const {
            return static_cast<std::size_t>((i - first.first + 1) * (second.count + 2) + j - second.first +
                                            1);
        }
    };

    /// Calls use(components of a point) for those in a message of ghosts, in its order.
    template <class Use>
    void for_each_ghost(Side side, bool outside, Use&& use);
    /// Calls use(change of a point) for a line of a plane beside one side: the outermost points, or,
    /// `outside`, the ghosts.
    template <class Use>
    void for_each_line_point(int z, Side side, bool outside, Use&& use);
    void unpack_line(int z, Side side);
    void pack_line(int z, Side side);
    std::size_t place(int x, int y) const { return static_cast<std::size_t>(y * box_.size[0] + x); }
    /// Sets the blocks of a plane. `step` is from a point to the neighbours that the system contains: -1 in
    /// the lower one, 1 in the upper one.
    void find_blocks(int z, int step);
    void solve_lower(int z);
    void solve_upper(int z);

    Class problem_;
    Layout layout_;
    flow::Box box_;  ///< the inner points
    flow::Field u_;  ///< with kReach ghosts
    flow::Field r_;  ///< right-hand side, then change; with one ghost
    flow::Field forcing_;
    flow::Field derived_;
    std::array<std::vector<flow::Block>, 3> neighbour_;  ///< of a plane, by axis: blocks of the neighbours
    std::vector<flow::Block> diagonal_;                  ///< of a plane
    std::vector<double> outgoing_ghosts_, incoming_ghosts_;
    std::array<std::vector<double>, kSides> outgoing_lines_, incoming_lines_;
    std::array<Face, 2> faces_;
    int face_axis_ = 2;
    std::vector<double> outgoing_face_line_, incoming_face_line_;
};

}  // namespace linkworth::npb::lu
