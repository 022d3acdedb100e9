// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "cg_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "cg_vectors.hpp"

namespace linkworth::npb::cg {
namespace {

constexpr std::size_t kWidestStrip = 65536;
constexpr std::size_t kPadding = 8;

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
      strips_((static_cast<std::size_t>(columns.count) + kWidestStrip - 1) / kWidestStrip),
      strip_width_((static_cast<std::size_t>(columns.count) + strips_ - 1) / strips_) {
    fill(problem, rows, columns);
}

void Matrix::fill(const Class& problem, Range rows, Range columns) {
    const SparseVectors vectors = generate_vectors(problem, rows, columns);
    const RowMembers rows_members = members_of_rows(vectors, rows);

    // An upper bound: duplicates are counted singly. What is not written takes no memory.
    std::uint64_t most = static_cast<std::uint64_t>(rows_) * strips_ * (kPadding - 1);
    for (const Element& member : rows_members.members)
        most += vectors.starts[member.index + 1] - vectors.starts[member.index];
    values_ = HugeArray<double>(most);
    indices_ = HugeArray<std::uint16_t>(most);
    ends_.reserve(rows_ * strips_);

    std::vector<double> weights(static_cast<std::size_t>(problem.order));
    const double ratio = std::pow(kReciprocalCondition, 1.0 / static_cast<double>(problem.order));
    double weight = 1.0;
    for (double& w : weights) {
        w = weight;
        weight *= ratio;
    }

    RowSum sum(columns.count);
    std::uint64_t end = 0;
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
        std::size_t strip = 0;
        const auto close_strip = [&] {
            for (; end % kPadding != 0; ++end) {
                values_[end] = 0.0;
                indices_[end] = 0;
            }
            ends_.push_back(end);
            ++strip;
        };
        sum.drain([&](std::size_t column, double value) {
            while (column / strip_width_ != strip) close_strip();
            values_[end] = value;
            indices_[end++] = static_cast<std::uint16_t>(column % strip_width_);
        });
        while (strip < strips_) close_strip();
    }
}

}  // namespace linkworth::npb::cg
