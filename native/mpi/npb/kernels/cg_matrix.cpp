// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "cg_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "../simd_block.hpp"
#include "cg_vectors.hpp"

namespace linkworth::npb::cg {
namespace {

/// Columns: their part of x fits in the first-level cache beside what streams through it.
constexpr std::int64_t kNarrowestStrip = 4096;
constexpr std::int64_t kWidestStrip = 65536;
/// Elements of a row in a strip below which a slice's own cost outweighs the cache's gain.
constexpr std::int64_t kFewElements = 8;

std::size_t strip_width(const Class& problem, Range columns) {
    const std::int64_t row = problem.nonzeros_per_vector * (problem.nonzeros_per_vector + 1);
    const std::int64_t wanted = std::clamp(kFewElements * problem.order / row, kNarrowestStrip, kWidestStrip);
    const std::int64_t strips = (columns.count + wanted - 1) / wanted;
    return static_cast<std::size_t>((columns.count + strips - 1) / strips);
}

/// Which vectors have an element in each row, and its value, in the vectors' order.
struct RowMembers {
    std::vector<std::uint64_t> starts;
    std::vector<Element> members;
};

RowMembers members_of_rows(const SparseVectors& vectors, Range rows) {
    RowMembers result;
    result.starts.assign(static_cast<std::size_t>(rows.count) + 2, 0);
    const auto row_of = [&](const Element& element) {
        return static_cast<std::int64_t>(element.index) - rows.first;
    };
    const auto is_ours = [&](std::int64_t row) { return row >= 0 && row < rows.count; };
    for (const Element& element : vectors.elements)
        if (const std::int64_t row = row_of(element); is_ours(row))
            ++result.starts[static_cast<std::size_t>(row) + 2];
    for (std::size_t i = 2; i < result.starts.size(); ++i) result.starts[i] += result.starts[i - 1];
    result.members.resize(result.starts.back());
    for (std::uint32_t vector = 0; vector + 1 < vectors.starts.size(); ++vector)
        for (std::uint64_t e = vectors.starts[vector]; e < vectors.starts[vector + 1]; ++e)
            if (const std::int64_t row = row_of(vectors.elements[e]); is_ours(row))
                result.members[result.starts[static_cast<std::size_t>(row) + 1]++] = {
                    vector, vectors.elements[e].value};
    result.starts.pop_back();
    return result;
}

/// Sums the elements of one row by column, in the order of their coming.
class RowSum {
  public:
    explicit RowSum(std::int64_t columns)
        : sums_(static_cast<std::size_t>(columns)), present_(static_cast<std::size_t>(columns), false) {}

    void add(std::size_t column, double value) {
        if (!present_[column]) {
            present_[column] = true;
            sums_[column] = 0.0;
            columns_.push_back(static_cast<std::uint32_t>(column));
        }
        sums_[column] += value;
    }

    /// Calls take(column, sum) by ascending column and empties the row.
    template <class Take>
    void drain(Take&& take) {
        std::sort(columns_.begin(), columns_.end());
        for (const std::uint32_t column : columns_) {
            take(column, sums_[column]);
            present_[column] = false;
        }
        columns_.clear();
    }

  private:
    std::vector<double> sums_;
    std::vector<char> present_;
    std::vector<std::uint32_t> columns_;
};

}  // namespace

Matrix::Matrix(const Class& problem, Range rows, Range columns)
    : rows_(static_cast<std::size_t>(rows.count)),
      strip_width_(strip_width(problem, columns)),
      strips_((static_cast<std::size_t>(columns.count) + strip_width_ - 1) / strip_width_) {
    fill(problem, rows, columns);
}

void Matrix::fill(const Class& problem, Range rows, Range columns) {
    const SparseVectors vectors = generate_vectors(problem, rows, columns);
    const RowMembers rows_members = members_of_rows(vectors, rows);

    // An upper bound: duplicates are counted singly, and the slices of a tile are filled by no more than what
    // its longest row differs from the shortest, in each lane. What is not written takes no memory.
    std::uint64_t most = 0;
    for (std::size_t first = 0; first < rows_; first += kWindow) {
        std::uint64_t longest = 0;
        for (std::size_t row = first; row < std::min(first + kWindow, rows_); ++row) {
            std::uint64_t length = 0;
            for (std::uint64_t m = rows_members.starts[row]; m < rows_members.starts[row + 1]; ++m) {
                const std::uint32_t vector = rows_members.members[m].index;
                length += vectors.starts[vector + 1] - vectors.starts[vector];
            }
            most += length;
            longest = std::max(longest, length);
        }
        most += strips_ * kLanes * std::min<std::uint64_t>(longest, strip_width_);
    }
    values_ = HugeArray<double>(most);
    indices_ = HugeArray<std::uint16_t>(most);

    std::vector<double> weights(static_cast<std::size_t>(problem.order));
    const double ratio = std::pow(kReciprocalCondition, 1.0 / static_cast<double>(problem.order));
    double weight = 1.0;
    for (double& w : weights) {
        w = weight;
        weight *= ratio;
    }

    RowSum sum(columns.count);
    Rows window;
    for (std::size_t row = 0; row < rows_; ++row) {
        const std::int64_t global_row = rows.first + static_cast<std::int64_t>(row);
        for (std::uint64_t m = rows_members.starts[row]; m < rows_members.starts[row + 1]; ++m) {
            const Element& member = rows_members.members[m];
            const double scale = weights[member.index] * member.value;
            for (std::uint64_t e = vectors.starts[member.index]; e < vectors.starts[member.index + 1]; ++e) {
                const Element& other = vectors.elements[e];
                const std::int64_t column = static_cast<std::int64_t>(other.index) - columns.first;
                if (column < 0 || column >= columns.count) continue;
                double value = other.value * scale;
                if (other.index == global_row && member.index == global_row)
                    value += kReciprocalCondition - problem.shift;
                sum.add(static_cast<std::size_t>(column), value);
            }
        }
        window.starts.push_back(window.elements.size());
        sum.drain([&](std::uint32_t column, double value) { window.elements.push_back({column, value}); });
        if (window.starts.size() == kWindow || row + 1 == rows_) {
            window.starts.push_back(window.elements.size());
            append_window(window);
            window.starts.clear();
            window.elements.clear();
        }
    }
}

void Matrix::append_window(const Rows& rows) {
    const std::size_t count = rows.starts.size() - 1;
    std::vector<std::size_t> begins(rows.starts.begin(), rows.starts.end() - 1), ends(count);
    std::vector<std::uint16_t> order(count);
    for (std::size_t strip = 0; strip < strips_; ++strip, begins = ends) {
        const std::size_t first_column = strip * strip_width_;
        for (std::size_t row = 0; row < count; ++row) {
            ends[row] = begins[row];
            while (ends[row] < rows.starts[row + 1] &&
                   rows.elements[ends[row]].index < first_column + strip_width_)
                ++ends[row];
            order[row] = static_cast<std::uint16_t>(row);
        }
        const auto length = [&](std::size_t row) { return ends[row] - begins[row]; };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint16_t a, std::uint16_t b) { return length(a) > length(b); });
        for (std::size_t first = 0; first < count; first += kLanes) {
            const std::size_t longest = length(order[first]);
            slice_lengths_.push_back(static_cast<std::uint16_t>(longest));
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const bool present = first + lane < count;
                const std::size_t row = present ? order[first + lane] : 0;
                slice_rows_.push_back(static_cast<std::uint16_t>(present ? row : kWindow + lane));
                for (std::size_t i = 0; i < longest; ++i) {
                    const bool filled = present && i < length(row);
                    const Element element = filled ? rows.elements[begins[row] + i] : Element{0, 0.0};
                    values_[elements_ + i * kLanes + lane] = element.value;
                    indices_[elements_ + i * kLanes + lane] =
                        static_cast<std::uint16_t>(filled ? element.index - first_column : 0);
                }
            }
            elements_ += longest * kLanes;
        }
    }
}

}  // namespace linkworth::npb::cg
