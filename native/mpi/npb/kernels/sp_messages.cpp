// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "sp_solver.hpp"

/// What lines hand from cell to cell: for each section, for each of the numbers of a line, those of all the
/// section's inner lines one after the other.
namespace linkworth::npb::sp {
namespace {

/// Inner lines of one section of a cell that are kept together: `count` <= kLanes lines from lane `first` on.
struct Lines {
    int first, count;
};

/// Copies between a message and vectors, in either direction.
template <bool kPack>
struct Copier {
    std::conditional_t<kPack, double*, const double*> message;

    void operator()(Lanes& vector, Lines own) {
        for (int lane = own.first; lane < own.first + own.count; ++lane, ++message) {
            if constexpr (kPack)
                *message = vector[lane];
            else
                vector[lane] = *message;
        }
    }
    void operator()(Row& row, Lines own) {
        for (Lanes& vector : row.next) (*this)(vector, own);
        for (Lanes& vector : row.after) (*this)(vector, own);
    }
};

}  // namespace

/// Copies rows (`kRows`) and values of the points p and p + 1 of every line.
template <bool kPack, bool kRows>
void SolverKernel::copy_lines(int axis, int cell, int p) {
    const Sections sections = inner(cell, axis, {0, layout_.longest_side()});
    Copier<kPack> copy{};
    if constexpr (kPack)
        copy.message = outgoing_.data();
    else
        copy.message = incoming_.data();
    constexpr int kWidth = static_cast<int>(kLanes);
    const Extent along_x = extent(cell, 0);
    for (int section = sections.first; section < sections.first + sections.count; ++section) {
        if (axis == 0) {
            for (int i = 0; i < groups(cell); ++i) {
                const Lines own{0, group(cell, i).count};
                LinesAlongX kept = lines(cell, section, i);
                for (int point = p; point < p + 2; ++point) {
                    if (kRows) copy(kept.row(point), own);
                    for (Lanes& value : kept.value(point)) copy(value, own);
                }
            }
            continue;
        }
        Sheet kept = sheet(cell, section);
        flow::Field& changes = changes_[cell];
        // Lanes without an inner line: they must stay zero.
        if constexpr (!kPack) kRows ? kept.start() : kept.end();
        for (int block = 0; block < changes.row_blocks(); ++block) {
            const int from = std::max(along_x.first() - block * kWidth, 0);
            const Lines own{from, std::min(along_x.last() + 1 - block * kWidth, kWidth) - from};
            for (int point = p; point < p + 2; ++point) {
                if (kRows) copy(kept.rows(point)[block], own);
                const int points = extent(cell, axis).points;
                double* values = point < 0         ? kept.before(point)
                                 : point >= points ? kept.after(point - points)
                                 : axis == 1       ? changes.row(0, point, section)
                                                   : changes.row(0, section, point);
                for (int c = 0; c < flow::kComponents; ++c)
                    copy(*reinterpret_cast<Lanes*>(values + c * changes.row_stride() + block * kWidth), own);
            }
        }
    }
}

void SolverKernel::pack_rows(int axis, int cell) {
    copy_lines<true, true>(axis, cell, extent(cell, axis).points - 2);
}
void SolverKernel::unpack_rows(int axis, int cell) { copy_lines<false, true>(axis, cell, -2); }
void SolverKernel::pack_values(int axis, int cell) { copy_lines<true, false>(axis, cell, 0); }
void SolverKernel::unpack_values(int axis, int cell) {
    copy_lines<false, false>(axis, cell, extent(cell, axis).points);
}

}  // namespace linkworth::npb::sp
