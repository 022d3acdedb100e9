// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "kernel.hpp"

namespace linkworth::npb::stencil {

/// Thickness, velocities, temperature and water of each point, column after column.
void ColumnKernel::pack_output(int field) {
    const std::size_t levels = state_.levels(), nz = static_cast<std::size_t>(problem_.nz);
    const double unit = field == kHeat ? model_.kelvin : 1.0;
    double* out = output_piece_.data();
    for (std::int64_t y = 0; y < piece_.y.count; ++y)
        for (std::int64_t x = 0; x < piece_.x.count; ++x, out += nz) {
            const double* const h = state_.column(y, x) + kThickness * levels;
            const double* const values = state_.column(y, x) + static_cast<std::size_t>(field) * levels;
            if (field == kThickness)
                std::copy_n(h, nz, out);
            else
                for (std::size_t k = 0; k < nz; ++k) out[k] = unit * values[k] / h[k];
        }
}

void ColumnKernel::take_output(int field) {
    if (rank_ != 0) return;
    const double* next = output_pieces_.data();
    for (int rank = 0; rank < ranks_; ++rank) {
        const Piece piece = grid_.piece(rank);
        const std::int64_t row = piece.x.count * problem_.nz;
        for (std::int64_t y = piece.y.first; y < piece.y.first + piece.y.count; ++y, next += row)
            std::copy_n(next, row, output_field_.data() + (y * problem_.nx + piece.x.first) * problem_.nz);
    }
    if (!file_) return;
    const bool written = std::fwrite(output_field_.data(), sizeof(double), output_field_.size(), file_) ==
                         output_field_.size();
    if (!written || (field == kFields - 1 && std::fflush(file_) != 0))
        throw std::runtime_error(std::string("cannot write the output: ") + std::strerror(errno));
}

void ColumnKernel::store_output() {
    if (rank_ == 0) std::this_thread::sleep_for(std::chrono::duration<double>(problem_.output_seconds));
}

}  // namespace linkworth::npb::stencil
