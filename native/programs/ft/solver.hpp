// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "ft.hpp"

namespace linkworth::npb::ft {

/// One rank's part of the field and the arithmetic of FT on it. The concept describes each function.
class SolverKernel {
  public:
    SolverKernel(const Class& problem, const Layout& layout, int rank);

    void prepare();
    void forward(int stage);
    void inverse(int stage);
    const Checksum* outgoing() const { return outgoing_; }
    Checksum* incoming() { return incoming_; }
    Checksum checksum() const;

  private:
    /// Points along x, y and z; x runs fastest.
    using Box = std::array<std::size_t, 3>;
    using Field = std::vector<Checksum>;
    enum class Direction { forward, inverse };

    void fill_decay();
    void fill_start();
    void evolve();
    void transform(Direction direction, Field& field, const Box& box, int axis);
    void transform_lines(Direction direction, Checksum* first, std::size_t length, std::size_t stride,
                         std::size_t lines, std::size_t line_distance);
    void split(const Box& box, int axis, int parts);
    void join(const Box& box, int axis, int parts, const Field& pieces, Field& whole) const;

    Class problem_;
    Layout layout_;
    Box space_, middle_, frequency_;  ///< this rank's before x, around y and after z are transformed
    std::array<std::int64_t, 3> first_in_space_, first_in_frequency_;  ///< of the whole grid
    std::vector<Checksum> roots_;                                      ///< of unity, of the longest line
    Field spectrum_, field_, exchanged_;
    std::vector<double> decay_;  ///< of each point of the spectrum in one time step
    std::vector<Checksum> lines_, other_lines_;
    const Checksum* outgoing_ = nullptr;
    Checksum* incoming_ = nullptr;
};

}  // namespace linkworth::npb::ft
