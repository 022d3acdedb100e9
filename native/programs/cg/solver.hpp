// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cg.hpp"
#include "matrix.hpp"

namespace linkworth::npb::cg {

/// Vectors and matrix of one rank, and the arithmetic of conjugate gradients on them. The concept
/// describes each function.
class SolverKernel {
  public:
    SolverKernel(const Class& problem, const Layout& layout);

    void reset();
    double start_solve();
    void multiply_direction() { matrix_.multiply(p_, w_); }
    void multiply_solution() { matrix_.multiply(z_, w_); }
    double* rows(std::int64_t offset) { return w_.data() + offset; }
    double* received(std::int64_t offset) { return received_.data() + offset; }
    double* product() { return q_.data(); }
    void add_received(std::int64_t offset, std::int64_t count);
    void take_rows();
    double direction_dot_product() const;
    double advance(double alpha);
    void turn(double beta);
    double residual() const;
    void norms(double (&values)[2]) const;
    void normalise(double factor);

  private:
    std::size_t size_;  ///< of this rank's piece of a vector
    Matrix matrix_;
    std::vector<double> x_, z_, p_, r_, q_;
    std::vector<double> w_, received_;
};

}  // namespace linkworth::npb::cg
