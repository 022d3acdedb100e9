// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>

#include "../common/huge_array.hpp"
#include "flow.hpp"
#include "physics.hpp"
#include "radiation.hpp"
#include "state.hpp"

namespace linkworth::npb::stencil {

/// Fields, halos and outputs of one rank; see the concept for each function.
class ColumnKernel {
  public:
    /// `file`: output file of rank 0, else null.
    ColumnKernel(const Problem& problem, int rank, int ranks, std::FILE* file);

    void start();
    void pack(Side side);
    const double* outgoing(Side side) const { return halos_[index(side)].out.data(); }
    double* incoming(Side side) { return halos_[index(side)].in.data(); }
    void unpack(Side side);
    void wrap(Side side);
    void advance() { flow_.advance(state_); }
    void mix_columns() { physics_.mix(state_); }
    void radiate(int iteration) { radiation_.radiate(state_, iteration); }
    void pack_output(int field);
    const double* piece() const { return output_piece_.data(); }
    double* pieces() { return output_pieces_.data(); }
    void take_output(int field);
    void store_output();
    Totals totals() const;

  private:
    struct Halo {
        HugeArray<double> out, in;
    };
    /// Columns [x, x_end) x [y, y_end).
    struct Box {
        std::int64_t x, x_end, y, y_end;
    };

    static std::size_t index(Side side) { return static_cast<std::size_t>(side); }
    Box inside(Side side) const;   ///< the columns next to the side
    Box outside(Side side) const;  ///< its halo
    template <class Copy>
    void each_column(const Box& box, Copy&& copy);

    Problem problem_;
    Grid grid_;
    int rank_, ranks_;
    Piece piece_;
    Model model_;
    State state_;
    Flow flow_;
    Physics physics_;
    Radiation radiation_;
    std::array<Halo, 4> halos_;
    HugeArray<double> output_piece_, output_pieces_, output_field_;
    std::FILE* file_;
};

}  // namespace linkworth::npb::stencil
