// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "../huge_array.hpp"
#include "../programs/lu.hpp"
#include "lu_factors.hpp"
#include "lu_skew.hpp"

namespace linkworth::npb::lu {

/// Fields of one rank and the arithmetic on them; see the concept for each function.
class PencilKernel {
  public:
    PencilKernel(const Class& problem, const Layout& layout);

    void fill_exact();
    void fill_initial();
    void pack_ghosts(Side side);
    void unpack_ghosts(Side side);
    const double* outgoing_ghosts(Side) const { return outgoing_ghosts_.data(); }
    double* incoming_ghosts(Side) { return incoming_ghosts_.data(); }
    void right_hand_side(int plane);
    void take_forcing();
    void lower(int plane);
    void upper(int plane, State* squares);
    const double* outgoing_line(Side side) const { return outgoing_lines_[side].data(); }
    double* incoming_line(Side side) { return incoming_lines_[side].data(); }
    void add_squared_residuals(State& sums) const;
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

    const Lanes* u(int plane, int block) const {
        return reinterpret_cast<const Lanes*>(u_.data()) + skew_.vector(plane, block);
    }
    Lanes* u(int plane, int block) {
        return reinterpret_cast<Lanes*>(u_.data()) + skew_.vector(plane, block);
    }
    template <class Field>
    static auto* inner(Field& field, std::ptrdiff_t at) {
        using Vector = std::conditional_t<std::is_const_v<Field>, const Lanes, Lanes>;
        return reinterpret_cast<Vector*>(field.data()) + at;
    }
    /// Calls use(x, y, z, place of the point in u) for all own points, the grid's boundary included.
    template <class Use>
    void for_each_own_point(Use&& use) const;
    template <class StateAt>
    void fill(StateAt&& state_at);
    /// Calls use(place of a point's first component) for those in a message of ghosts, in its order.
    template <class Use>
    void for_each_ghost(Side side, bool outside, Use&& use) const;

    void invert_densities(int plane);
    const Lanes* inverse_densities(int plane, int block) const;
    /// Adds what the neighbours' lines add to the system of a plane, to arrivals_.
    template <Sweep sweep>
    void take_lines(int plane);
    template <Sweep sweep>
    void take_line(int plane, Side side);
    template <Sweep sweep, bool with_squares>
    void sweep_plane(int plane, State* squares);
    void pack_line(int plane, Side side);

    Class problem_;
    Layout layout_;
    Skew skew_;
    StencilFactors stencil_;
    BlockFactors blocks_;
    InsideLanes inside_;
    HugeArray<double> u_;        ///< with ghosts
    HugeArray<double> r_;        ///< right-hand side, then solution
    HugeArray<double> forcing_;  ///< inner points
    HugeArray<double> inverse_densities_;
    int inverted_ = -1;           ///< the last plane of them
    HugeArray<double> arrivals_;  ///< of a plane: what the plane before it and lines that came in add to it
    HugeArray<double> row_;       ///< of a block: what its rows add to the next block's
    HugeArray<double> zeros_;     ///< in place of it for the first block
    HugeArray<double> outgoing_ghosts_, incoming_ghosts_;
    std::array<std::vector<double>, kSides> outgoing_lines_, incoming_lines_;
    std::array<Face, 2> faces_;
    int face_axis_ = 2;
    std::vector<double> outgoing_face_line_, incoming_face_line_;
};

}  // namespace linkworth::npb::lu
