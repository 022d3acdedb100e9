// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include <algorithm>

#include "cg_solver.hpp"

namespace linkworth::npb::cg {

SolverKernel::SolverKernel(const Class& problem, const Layout& layout)
    : size_(layout.matrix_columns().count), matrix_(problem, layout.matrix_rows(), layout.matrix_columns()) {
    for (HugeArray<double>* vector : {&x_, &z_, &p_, &r_, &q_})
        *vector = HugeArray<double>(static_cast<std::size_t>(size_));
    for (HugeArray<double>* vector : {&w_, &received_})
        *vector = HugeArray<double>(static_cast<std::size_t>(layout.matrix_rows().count));
}

void SolverKernel::reset() { std::fill_n(x_.data(), size_, 1.0); }

double SolverKernel::start_solve() {
    const double* const x = x_.data();
    double *const z = z_.data(), *const p = p_.data(), *const r = r_.data();
    double rho = 0.0;
#pragma omp simd reduction(+ : rho)
    for (std::int64_t i = 0; i < size_; ++i) {
        z[i] = 0.0;
        p[i] = r[i] = x[i];
        rho += x[i] * x[i];
    }
    return rho;
}

void SolverKernel::add_received(std::int64_t offset, std::int64_t count) {
    double* const w = w_.data() + offset;
    const double* const received = received_.data() + offset;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) w[i] += received[i];
}

void SolverKernel::take_rows() { std::copy_n(w_.data(), size_, q_.data()); }

double SolverKernel::direction_dot_product() const {
    const double *const p = p_.data(), *const q = q_.data();
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < size_; ++i) sum += p[i] * q[i];
    return sum;
}

double SolverKernel::advance(double alpha) {
    const double *const p = p_.data(), *const q = q_.data();
    double *const z = z_.data(), *const r = r_.data();
    double rho = 0.0;
#pragma omp simd reduction(+ : rho)
    for (std::int64_t i = 0; i < size_; ++i) {
        z[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        rho += r[i] * r[i];
    }
    return rho;
}

void SolverKernel::turn(double beta) {
    double* const p = p_.data();
    const double* const r = r_.data();
#pragma omp simd
    for (std::int64_t i = 0; i < size_; ++i) p[i] = r[i] + beta * p[i];
}

double SolverKernel::residual() const {
    const double *const x = x_.data(), *const q = q_.data();
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < size_; ++i) sum += (x[i] - q[i]) * (x[i] - q[i]);
    return sum;
}

void SolverKernel::norms(double (&values)[2]) const {
    const double *const x = x_.data(), *const z = z_.data();
    double x_z = 0.0, z_z = 0.0;
#pragma omp simd reduction(+ : x_z, z_z)
    for (std::int64_t i = 0; i < size_; ++i) {
        x_z += x[i] * z[i];
        z_z += z[i] * z[i];
    }
    values[0] = x_z;
    values[1] = z_z;
}

void SolverKernel::normalise(double factor) {
    double* const x = x_.data();
    const double* const z = z_.data();
#pragma omp simd
    for (std::int64_t i = 0; i < size_; ++i) x[i] = factor * z[i];
}

}  // namespace linkworth::npb::cg
