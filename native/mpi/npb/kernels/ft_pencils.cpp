// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "ft_pencils.hpp"

#include <algorithm>

#include "ft_field.hpp"

namespace linkworth::npb::ft {
namespace {

/// Offsets of the `n` elements of a line that is cut into parts of `part` elements, parts `part_distance`
/// apart.
std::vector<std::size_t> cut(std::size_t n, std::size_t part, std::size_t part_distance,
                             std::size_t distance) {
    std::vector<std::size_t> steps(n);
    for (std::size_t i = 0; i < n; ++i) steps[i] = i / part * part_distance + i % part * distance;
    return steps;
}

/// Starts of outer x inner lines.
std::vector<std::size_t> lines(std::size_t outer, std::size_t outer_distance, std::size_t inner,
                               std::size_t inner_distance) {
    std::vector<std::size_t> starts;
    for (std::size_t o = 0; o < outer; ++o)
        for (std::size_t i = 0; i < inner; ++i) starts.push_back(o * outer_distance + i * inner_distance);
    return starts;
}

}  // namespace

PencilKernel::PencilKernel(const Class& problem, const Layout& layout, int rank)
    : problem_(problem),
      x_count_(static_cast<std::size_t>(problem.nx / layout.along)),
      y_count_(static_cast<std::size_t>(problem.ny / layout.along)),
      z_count_(static_cast<std::size_t>(problem.nz / layout.across)),
      rows_(static_cast<std::size_t>(problem.ny / layout.across)),
      first_x_(rank / layout.across * static_cast<std::int64_t>(x_count_)),
      first_y_(rank / layout.across * static_cast<std::int64_t>(y_count_)),
      first_z_(rank % layout.across * static_cast<std::int64_t>(z_count_)),
      first_row_(rank % layout.across * static_cast<std::int64_t>(rows_)) {
    const auto nx = static_cast<std::size_t>(problem.nx), ny = static_cast<std::size_t>(problem.ny),
               nz = static_cast<std::size_t>(problem.nz);
    const std::size_t points = nx * y_count_ * z_count_;
    const std::size_t x = x_count_, y = y_count_, z = z_count_, r = rows_;
    // The sides, from space to frequency: [z][y][x], [along][z][y][x], [across][z][r][x], spectrum [z][r][x].
    stages_.push_back({Transform(nx),
                       {lines(z, y * nx, y, nx), cut(nx, nx, 0, 1)},
                       {lines(z, y * x, y, x), cut(nx, x, z * y * x, 1)}});
    stages_.push_back({Transform(ny),
                       {lines(z, y * x, x, 1), cut(ny, y, z * y * x, x)},
                       {lines(z, r * x, x, 1), cut(ny, r, z * r * x, x)}});
    const Side along_z{lines(r, x, x, 1), cut(nz, nz, 0, r * x)};
    stages_.push_back({Transform(nz), along_z, along_z});
    spectrum_ = HugeArray<Checksum>(points);
    outgoing_ = HugeArray<Checksum>(points);
    incoming_ = HugeArray<Checksum>(points);
    work_ = HugeArray<Block>(std::max({nx, ny, nz}));
}

void PencilKernel::prepare() {
    for (Stage& stage : stages_) stage.transform = Transform(stage.transform.length());
    Checksum* point = incoming_.data();
    for (std::size_t z = 0; z < z_count_; ++z)
        for (std::size_t y = 0; y < y_count_; ++y) {
            RandomSequence sequence(row_seed(problem_, first_y_ + static_cast<std::int64_t>(y),
                                             first_z_ + static_cast<std::int64_t>(z)));
            for (std::int64_t x = 0; x < problem_.nx; ++x) {
                const double real = sequence.next();
                *point++ = {real, sequence.next()};
            }
        }
}

template <Direction direction>
void PencilKernel::transform_lines(const Transform& transform, const Side& from, const Checksum* input,
                                   const Side& to, Checksum* output) {
    const std::size_t count = from.starts.size();
    for (std::size_t line = 0; line < count; line += kLanes) {
        const std::size_t lanes = std::min(kLanes, count - line);
        transform.run<direction>(
            work_.data(),
            [&](std::size_t i) {
                Block value{};
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    const Checksum& element = input[from.starts[line + lane] + from.steps[i]];
                    value.re[lane] = element.real();
                    value.im[lane] = element.imag();
                }
                return value;
            },
            [&](std::size_t k, const Block& value) {
                for (std::size_t lane = 0; lane < lanes; ++lane)
                    output[to.starts[line + lane] + to.steps[k]] = {value.re[lane], value.im[lane]};
            });
    }
}

void PencilKernel::forward(int stage) {
    const Stage& s = stages_[static_cast<std::size_t>(stage)];
    transform_lines<Direction::forward>(s.transform, s.near, incoming_.data(), s.far,
                                        stage == 2 ? spectrum_.data() : outgoing_.data());
}

void PencilKernel::inverse(int stage, int iteration) {
    if (stage == 2) evolve(iteration);
    const Stage& s = stages_[static_cast<std::size_t>(stage)];
    transform_lines<Direction::inverse>(s.transform, s.far, incoming_.data(), s.near, outgoing_.data());
}

/// The spectrum at the time of `iteration`, to `incoming`.
void PencilKernel::evolve(int iteration) {
    decay(problem_.nx, first_x_, static_cast<std::int64_t>(x_count_), iteration, decay_[0]);
    decay(problem_.ny, first_row_, static_cast<std::int64_t>(rows_), iteration, decay_[1]);
    decay(problem_.nz, 0, problem_.nz, iteration, decay_[2]);
    std::size_t i = 0;
    for (const double z : decay_[2])
        for (const double y : decay_[1])
            for (const double x : decay_[0]) {
                incoming_[i] = spectrum_[i] * (x * y * z);
                ++i;
            }
}

Checksum PencilKernel::checksum() const {
    Checksum sum{};
    const auto y_count = static_cast<std::int64_t>(y_count_), z_count = static_cast<std::int64_t>(z_count_);
    for_checksum_points(problem_, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const std::int64_t row = y - first_y_, plane = z - first_z_;
        if (row < 0 || row >= y_count || plane < 0 || plane >= z_count) return;
        sum += outgoing_[static_cast<std::size_t>((plane * y_count + row) * problem_.nx + x)];
    });
    return sum / static_cast<double>(problem_.nx * problem_.ny * problem_.nz);
}

}  // namespace linkworth::npb::ft
