// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "ft_slabs.hpp"

#include <algorithm>

#include "ft_field.hpp"

namespace linkworth::npb::ft {
namespace {

/// 0 <= x < 2^46 to x 2^-46, exactly, by writing x into the mantissa of 2^52.
inline Lanes to_unit(const Bits& x) { return ((Lanes)(x | 0x4330000000000000u) - 0x1p52) * kToUnit; }

}  // namespace

SlabKernel::SlabKernel(const Class& problem, const Layout& layout, int rank)
    : problem_(problem),
      rank_(rank),
      nx_(static_cast<std::size_t>(problem.nx)),
      ny_(static_cast<std::size_t>(problem.ny)),
      nz_(static_cast<std::size_t>(problem.nz)),
      blocks_(nx_ / kLanes),
      planes_(nz_ / static_cast<std::size_t>(layout.across)),
      rows_(ny_ / static_cast<std::size_t>(layout.across)),
      along_x_(nx_),
      along_y_(ny_),
      along_z_(nz_),
      spectrum_(planes_ * ny_ * blocks_),
      outgoing_(planes_ * ny_ * blocks_),
      incoming_(layout.shape == Shape::whole ? 0 : planes_ * ny_ * blocks_),
      line_(std::max({nx_, ny_, nz_})),
      other_line_(std::max({nx_, ny_, nz_})),
      plane_rows_(ny_) {}

void SlabKernel::prepare() {
    along_x_ = Transform(nx_);
    along_y_ = Transform(ny_);
    along_z_ = Transform(nz_);
    for (std::size_t plane = 0; plane < planes_; ++plane) fill_plane(plane);
}

void SlabKernel::forward(int stage) {
    if (stage == 1) return forward_columns();
    for (std::size_t plane = 0; plane < planes_; ++plane) forward_plane(plane);
}

void SlabKernel::inverse(int stage, int iteration) {
    if (stage == 1) return inverse_columns(iteration);
    for (std::size_t plane = 0; plane < planes_; ++plane) inverse_plane(plane);
}

void SlabKernel::find_rows(Block* field, std::size_t plane) {
    for (std::size_t y = 0; y < ny_; ++y) plane_rows_[y] = field + row_offset(plane, y);
}

/// Lanes are rows from the start, so several rows' random sequences run side by side.
void SlabKernel::fill_plane(std::size_t plane) {
    find_rows(outgoing_.data(), plane);
    const auto z = static_cast<std::int64_t>(planes_) * rank_ + static_cast<std::int64_t>(plane);
    const std::uint64_t row_jump = jump(2 * nx_);
    std::uint64_t seed = row_seed(problem_, 0, z);
    for (std::size_t y = 0; y < ny_; y += kLanes) {
        Bits real{};
        for (std::size_t lane = 0; lane < kLanes; ++lane, seed = multiply(seed, row_jump))
            real[lane] = multiply(seed, kMultiplier);
        Bits imaginary = real * kMultiplier & kStateMask;
        for (std::size_t x = 0; x < nx_; ++x) {
            plane_rows_[y + x % kLanes][x / kLanes] = {to_unit(real), to_unit(imaginary)};
            real = real * multiply(kMultiplier, kMultiplier) & kStateMask;
            imaginary = imaginary * multiply(kMultiplier, kMultiplier) & kStateMask;
        }
    }
}

void SlabKernel::forward_plane(std::size_t plane) {
    find_rows(outgoing_.data(), plane);
    Block* const line = line_.data();
    Block* const result = other_line_.data();
    for (std::size_t y = 0; y < ny_; y += kLanes) {
        Block* const* const tile_rows = plane_rows_.data() + y;
        along_x_.run<Direction::forward>(
            line, [&](std::size_t x) { return tile_rows[x % kLanes][x / kLanes]; },
            [&](std::size_t k, const Block& value) { result[k] = value; });
        for (std::size_t block = 0; block < blocks_; ++block) {
            Block tile[kLanes];
            for (std::size_t i = 0; i < kLanes; ++i) tile[i] = result[block * kLanes + i];
            transpose(tile);
            for (std::size_t i = 0; i < kLanes; ++i) tile_rows[i][block] = tile[i];
        }
    }
    for (std::size_t block = 0; block < blocks_; ++block)
        along_y_.run<Direction::forward>(
            line, [&](std::size_t y) { return plane_rows_[y][block]; },
            [&](std::size_t k, const Block& value) { plane_rows_[k][block] = value; });
}

void SlabKernel::inverse_plane(std::size_t plane) {
    find_rows(space(), plane);
    Block* const line = line_.data();
    Block* const gathered = other_line_.data();
    for (std::size_t block = 0; block < blocks_; ++block)
        along_y_.run<Direction::inverse>(
            line, [&](std::size_t y) { return plane_rows_[y][block]; },
            [&](std::size_t k, const Block& value) { plane_rows_[k][block] = value; });
    for (std::size_t y = 0; y < ny_; y += kLanes) {
        Block* const* const tile_rows = plane_rows_.data() + y;
        for (std::size_t block = 0; block < blocks_; ++block) {
            Block tile[kLanes];
            for (std::size_t i = 0; i < kLanes; ++i) tile[i] = tile_rows[i][block];
            transpose(tile);
            for (std::size_t i = 0; i < kLanes; ++i) gathered[block * kLanes + i] = tile[i];
        }
        along_x_.run<Direction::inverse>(
            line, [&](std::size_t x) { return gathered[x]; },
            [&](std::size_t k, const Block& value) { tile_rows[k % kLanes][k / kLanes] = value; });
    }
}

void SlabKernel::forward_columns() {
    const Block* const received = space();
    const std::size_t stride = rows_ * blocks_;
    for (std::size_t column = 0; column < stride; ++column) {
        Block* const target = spectrum_.data() + column * nz_;
        along_z_.run<Direction::forward>(
            line_.data(), [&](std::size_t z) { return received[z * stride + column]; },
            [&](std::size_t k, const Block& value) { target[k] = value; });
    }
}

void SlabKernel::inverse_columns(int iteration) {
    decay(problem_.nx, 0, problem_.nx, iteration, decay_x_);
    decay(problem_.ny, static_cast<std::int64_t>(rows_) * rank_, static_cast<std::int64_t>(rows_), iteration,
          decay_y_);
    decay(problem_.nz, 0, problem_.nz, iteration, decay_z_);
    Block* const sent = outgoing_.data();
    const std::size_t stride = rows_ * blocks_;
    for (std::size_t row = 0; row < rows_; ++row)
        for (std::size_t block = 0; block < blocks_; ++block) {
            const std::size_t column = row * blocks_ + block;
            const Block* const source = spectrum_.data() + column * nz_;
            Lanes plane_decay;
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                plane_decay[lane] = decay_x_[block * kLanes + lane] * decay_y_[row];
            along_z_.run<Direction::inverse>(
                line_.data(), [&](std::size_t z) { return source[z] * (plane_decay * decay_z_[z]); },
                [&](std::size_t k, const Block& value) { sent[k * stride + column] = value; });
        }
}

Checksum SlabKernel::checksum() const {
    const Block* const field = incoming_.size() != 0 ? incoming_.data() : outgoing_.data();
    const auto first = static_cast<std::int64_t>(planes_) * rank_;
    Checksum sum{};
    for_checksum_points(problem_, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        if (z < first || z >= first + static_cast<std::int64_t>(planes_)) return;
        const auto column = static_cast<std::size_t>(x), row = static_cast<std::size_t>(y);
        const std::size_t tile_row = row / kLanes * kLanes + column % kLanes;
        const Block& block =
            field[row_offset(static_cast<std::size_t>(z - first), tile_row) + column / kLanes];
        sum += Checksum(block.re[row % kLanes], block.im[row % kLanes]);
    });
    return sum / static_cast<double>(problem_.nx * problem_.ny * problem_.nz);
}

}  // namespace linkworth::npb::ft
