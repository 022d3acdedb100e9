// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <algorithm>

namespace linkworth::npb::cg {

SolverKernel::SolverKernel(const Class& problem, const Layout& layout)
    : size_(static_cast<std::size_t>(layout.matrix_columns().count)),
      matrix_(problem, layout.matrix_rows(), layout.matrix_columns()) {
    for (std::vector<double>* vector : {&x_, &z_, &p_, &r_, &q_}) vector->resize(size_);
    for (std::vector<double>* vector : {&w_, &received_})
        vector->resize(static_cast<std::size_t>(layout.matrix_rows().count));
}

void SolverKernel::reset() { std::fill(x_.begin(), x_.end(), 1.0); }

double SolverKernel::start_solve() {
    double rho = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
        z_[i] = 0.0;
        p_[i] = r_[i] = x_[i];
        rho += x_[i] * x_[i];
    }
    return rho;
}

void SolverKernel::add_received(std::int64_t offset, std::int64_t count) {
    const auto first = static_cast<std::size_t>(offset), end = static_cast<std::size_t>(offset + count);
    for (std::size_t i = first; i < end; ++i) w_[i] += received_[i];
}

void SolverKernel::take_rows() { std::copy_n(w_.begin(), size_, q_.begin()); }

double SolverKernel::direction_dot_product() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < size_; ++i) sum += p_[i] * q_[i];
    return sum;
}

double SolverKernel::advance(double alpha) {
    for (std::size_t i = 0; i < size_; ++i) {
        z_[i] += alpha * p_[i];
        r_[i] -= alpha * q_[i];
    }
    double rho = 0.0;
    for (std::size_t i = 0; i < size_; ++i) rho += r_[i] * r_[i];
    return rho;
}

void SolverKernel::turn(double beta) {
    for (std::size_t i = 0; i < size_; ++i) p_[i] = r_[i] + beta * p_[i];
}

double SolverKernel::residual() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
        const double difference = x_[i] - q_[i];
        sum += difference * difference;
    }
    return sum;
}

void SolverKernel::norms(double (&values)[2]) const {
    double x_z = 0.0, z_z = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
        x_z += x_[i] * z_[i];
        z_z += z_[i] * z_[i];
    }
    values[0] = x_z;
    values[1] = z_z;
}

void SolverKernel::normalise(double factor) {
    for (std::size_t i = 0; i < size_; ++i) x_[i] = factor * z_[i];
}

}  // namespace linkworth::npb::cg
