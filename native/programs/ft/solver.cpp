// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "../common/random.hpp"

namespace linkworth::npb::ft {
namespace {

/// Number of lines that are transformed together, so that strided ones use whole cache lines.
constexpr std::size_t kBlock = 16;
constexpr std::int64_t kChecksumPoints = 1024;

std::size_t points(const std::array<std::size_t, 3>& box) { return box[0] * box[1] * box[2]; }

/// The operator of std::complex also treats infinities.
inline Checksum product(const Checksum& a, const Checksum& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// A wave number: the index folded to [-n/2, n/2).
double wave_number(std::int64_t index, std::int64_t n) {
    return static_cast<double>((index + n / 2) % n - n / 2);
}

/// Cuts a box along x or y into parts that are stored one after the other, and calls copy(place in the box,
/// place among the parts, count) for each row of them.
template <class Copy>
void for_rows_of_parts(const std::array<std::size_t, 3>& box, int axis, int parts, Copy&& copy) {
    std::array<std::size_t, 3> part = box;
    part[static_cast<std::size_t>(axis)] /= static_cast<std::size_t>(parts);
    std::size_t place = 0;
    for (std::size_t p = 0; p < static_cast<std::size_t>(parts); ++p)
        for (std::size_t z = 0; z < part[2]; ++z)
            for (std::size_t y = 0; y < part[1]; ++y, place += part[0]) {
                const std::size_t row = axis == 1 ? p * part[1] + y : y;
                const std::size_t x = axis == 0 ? p * part[0] : 0;
                copy((z * box[1] + row) * box[0] + x, place, part[0]);
            }
}

/// One pass of the Stockham transform of radix 2 (Cochran et al. 1967) over `lines` interleaved lines. The
/// passes before have interleaved `runs` transforms of `length` points.
void pass(const Checksum* from, Checksum* to, std::size_t length, std::size_t runs, std::size_t lines,
          const std::vector<Checksum>& roots, bool conjugate) {
    const std::size_t half = length / 2, width = runs * lines, step = roots.size() / length;
    for (std::size_t p = 0; p < half; ++p) {
        const Checksum root = conjugate ? std::conj(roots[p * step]) : roots[p * step];
        const Checksum *const low = from + p * width, *const high = from + (p + half) * width;
        Checksum *const sum = to + 2 * p * width, *const turned = sum + width;
        for (std::size_t q = 0; q < width; ++q) {
            const Checksum a = low[q], b = high[q];
            sum[q] = a + b;
            turned[q] = product(a - b, root);
        }
    }
}

}  // namespace

SolverKernel::SolverKernel(const Class& problem, const Layout& layout, int rank)
    : problem_(problem), layout_(layout) {
    const auto nx = static_cast<std::size_t>(problem.nx), ny = static_cast<std::size_t>(problem.ny),
               nz = static_cast<std::size_t>(problem.nz);
    const auto along = static_cast<std::size_t>(layout.along),
               across = static_cast<std::size_t>(layout.across);
    space_ = {nx, ny / along, nz / across};
    middle_ = {nx / along, ny, nz / across};
    frequency_ = {nx / along, ny / across, nz};
    const std::int64_t row = rank / layout.across, column = rank % layout.across;
    const auto first = [](std::int64_t part, std::size_t size) {
        return part * static_cast<std::int64_t>(size);
    };
    first_in_space_ = {0, first(row, space_[1]), first(column, space_[2])};
    first_in_frequency_ = {first(row, frequency_[0]), first(column, frequency_[1]), 0};

    spectrum_.resize(points(space_));
    field_.resize(points(space_));
    if (layout.shape != Shape::whole) exchanged_.resize(points(space_));
    decay_.resize(points(space_));
    const std::size_t longest = std::max({nx, ny, nz});
    roots_.resize(longest);
    lines_.resize(kBlock * longest);
    other_lines_.resize(kBlock * longest);
}

void SolverKernel::prepare() {
    fill_decay();
    fill_start();
    for (std::size_t i = 0; i < roots_.size(); ++i) {
        const double angle =
            -2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(roots_.size());
        roots_[i] = {std::cos(angle), std::sin(angle)};
    }
}

/// exp(-4 alpha pi^2 |k|^2), k being the wave numbers of a point.
void SolverKernel::fill_decay() {
    const double factor = -4.0 * kAlpha * std::numbers::pi * std::numbers::pi;
    std::size_t i = 0;
    for (std::size_t z = 0; z < frequency_[2]; ++z)
        for (std::size_t y = 0; y < frequency_[1]; ++y)
            for (std::size_t x = 0; x < frequency_[0]; ++x) {
                const double kx =
                    wave_number(first_in_frequency_[0] + static_cast<std::int64_t>(x), problem_.nx);
                const double ky =
                    wave_number(first_in_frequency_[1] + static_cast<std::int64_t>(y), problem_.ny);
                const double kz =
                    wave_number(first_in_frequency_[2] + static_cast<std::int64_t>(z), problem_.nz);
                decay_[i++] = std::exp(factor * (kx * kx + ky * ky + kz * kz));
            }
}

/// Two random numbers a point, x fastest over the whole grid.
void SolverKernel::fill_start() {
    std::size_t i = 0;
    for (std::size_t z = 0; z < space_[2]; ++z)
        for (std::size_t y = 0; y < space_[1]; ++y) {
            const std::int64_t row = first_in_space_[1] + static_cast<std::int64_t>(y) +
                                     problem_.ny * (first_in_space_[2] + static_cast<std::int64_t>(z));
            RandomSequence sequence(multiply(kSeed, jump(2 * static_cast<std::uint64_t>(problem_.nx * row))));
            for (std::size_t x = 0; x < space_[0]; ++x) {
                const double real = sequence.next();
                field_[i++] = {real, sequence.next()};
            }
        }
}

void SolverKernel::forward(int stage) {
    const int last = layout_.stages() - 1;
    if (stage == 0) {
        transform(Direction::forward, field_, space_, 0);
        if (layout_.shape == Shape::pencils) {
            split(space_, 0, layout_.along);
            incoming_ = field_.data();
        }
    } else if (stage == 1 && layout_.shape == Shape::pencils) {
        join(middle_, 1, layout_.along, field_, exchanged_);
        std::swap(field_, exchanged_);
    }
    if (stage == last - 1) {
        transform(Direction::forward, field_, middle_, 1);
        if (layout_.shape == Shape::whole) {
            spectrum_ = field_;
        } else {
            split(middle_, 1, layout_.across);
            incoming_ = spectrum_.data();
        }
    }
    if (stage == last) transform(Direction::forward, spectrum_, frequency_, 2);
}

void SolverKernel::inverse(int stage) {
    const int last = layout_.stages() - 1;
    if (stage == last) {
        evolve();
        transform(Direction::inverse, field_, frequency_, 2);
        outgoing_ = field_.data();  // the planes of one rank after those of the other already
        incoming_ = exchanged_.data();
    }
    if (stage == last - 1) {
        if (layout_.shape != Shape::whole) join(middle_, 1, layout_.across, exchanged_, field_);
        transform(Direction::inverse, field_, middle_, 1);
        if (layout_.shape == Shape::pencils) {
            split(middle_, 1, layout_.along);
            incoming_ = field_.data();
        }
    }
    if (stage == 0) {
        if (layout_.shape == Shape::pencils) {
            join(space_, 0, layout_.along, field_, exchanged_);
            std::swap(field_, exchanged_);
        }
        transform(Direction::inverse, field_, space_, 0);
    }
}

/// Advances the spectrum by one time step, and makes a copy of it to be transformed.
void SolverKernel::evolve() {
    for (std::size_t i = 0; i < spectrum_.size(); ++i) {
        spectrum_[i] *= decay_[i];
        field_[i] = spectrum_[i];
    }
}

void SolverKernel::transform(Direction direction, Field& field, const Box& box, int axis) {
    const auto [nx, ny, nz] = box;
    Checksum* const first = field.data();
    if (axis == 0)
        transform_lines(direction, first, nx, 1, ny * nz, nx);
    else if (axis == 1)
        for (std::size_t z = 0; z < nz; ++z) transform_lines(direction, first + z * nx * ny, ny, nx, nx, 1);
    else
        transform_lines(direction, first, nz, nx * ny, nx * ny, 1);
}

/// Transforms lines whose elements are `stride` apart, not normalised.
void SolverKernel::transform_lines(Direction direction, Checksum* first, std::size_t length,
                                   std::size_t stride, std::size_t lines, std::size_t line_distance) {
    for (std::size_t begin = 0; begin < lines; begin += kBlock) {
        const std::size_t count = std::min(kBlock, lines - begin);
        Checksum* const block = first + begin * line_distance;
        Checksum *from = lines_.data(), *to = other_lines_.data();
        for (std::size_t i = 0; i < length; ++i)
            for (std::size_t line = 0; line < count; ++line)
                from[i * count + line] = block[i * stride + line * line_distance];
        for (std::size_t runs = 1; runs < length; runs *= 2) {
            pass(from, to, length / runs, runs, count, roots_, direction == Direction::inverse);
            std::swap(from, to);
        }
        for (std::size_t i = 0; i < length; ++i)
            for (std::size_t line = 0; line < count; ++line)
                block[i * stride + line * line_distance] = from[i * count + line];
    }
}

/// The field cut along an axis, to be sent.
void SolverKernel::split(const Box& box, int axis, int parts) {
    for_rows_of_parts(box, axis, parts, [&](std::size_t in_box, std::size_t in_parts, std::size_t count) {
        std::copy_n(field_.data() + in_box, count, exchanged_.data() + in_parts);
    });
    outgoing_ = exchanged_.data();
}

/// The other way round, after an exchange.
void SolverKernel::join(const Box& box, int axis, int parts, const Field& pieces, Field& whole) const {
    for_rows_of_parts(box, axis, parts, [&](std::size_t in_box, std::size_t in_parts, std::size_t count) {
        std::copy_n(pieces.data() + in_parts, count, whole.data() + in_box);
    });
}

Checksum SolverKernel::checksum() const {
    Checksum sum{};
    for (std::int64_t j = 1; j <= kChecksumPoints; ++j) {
        const std::int64_t x = j % problem_.nx;
        const std::int64_t y = 3 * j % problem_.ny - first_in_space_[1];
        const std::int64_t z = 5 * j % problem_.nz - first_in_space_[2];
        const auto ny = static_cast<std::int64_t>(space_[1]), nz = static_cast<std::int64_t>(space_[2]);
        if (y < 0 || y >= ny || z < 0 || z >= nz) continue;
        sum += field_[static_cast<std::size_t>((z * ny + y) * problem_.nx + x)];
    }
    return sum / static_cast<double>(problem_.nx * problem_.ny * problem_.nz);
}

}  // namespace linkworth::npb::ft
