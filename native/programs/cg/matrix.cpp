// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "../common/random.hpp"

namespace linkworth::npb::cg {
namespace {

struct Element {
    std::uint32_t index;
    double value;
};

/// Rows of elements, one after the other. `starts` has one entry more than there are rows.
struct SparseRows {
    std::vector<std::size_t> starts;
    std::vector<Element> elements;

    std::span<const Element> row(std::size_t index) const {
        return std::span(elements).subspan(starts[index], starts[index + 1] - starts[index]);
    }
};

bool contains(Range range, std::int64_t index) {
    return index >= range.first && index < range.first + range.count;
}

/// Returns the vectors whose outer products make the matrix (NAS-95-020, 3.4): random values at random
/// places, and 1/2 at the vector's own index. Elements neither in `rows` nor in `columns` are left out.
SparseRows generate_vectors(const Class& problem, Range rows, Range columns) {
    RandomSequence sequence(kSeed);
    sequence.next();  // the benchmark draws one number before the matrix
    const double index_range = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(problem.order)));

    SparseRows vectors;
    vectors.starts.push_back(0);
    std::vector<Element> one;
    for (std::int64_t own = 0; own < problem.order; ++own) {
        one.clear();
        while (static_cast<int>(one.size()) < problem.nonzeros_per_vector) {
            const double value = sequence.next();
            const auto index = static_cast<std::uint32_t>(index_range * sequence.next());
            const auto same = [&](const Element& element) { return element.index == index; };
            // Places beyond the order and places taken are drawn again, with their values.
            if (index >= problem.order || std::any_of(one.begin(), one.end(), same)) continue;
            one.push_back({index, value});
        }
        const auto diagonal =
            std::find_if(one.begin(), one.end(), [&](const Element& e) { return e.index == own; });
        if (diagonal != one.end())
            diagonal->value = 0.5;
        else
            one.push_back({static_cast<std::uint32_t>(own), 0.5});
        for (const Element& element : one)
            if (contains(rows, element.index) || contains(columns, element.index))
                vectors.elements.push_back(element);
        vectors.starts.push_back(vectors.elements.size());
    }
    return vectors;
}

/// Transposes: which vectors have an element in each row, and its value, in the vectors' order.
SparseRows members_of_rows(const SparseRows& vectors, Range rows) {
    SparseRows result;
    result.starts.assign(static_cast<std::size_t>(rows.count) + 2, 0);
    const auto row_of = [&](const Element& element) {
        return static_cast<std::size_t>(static_cast<std::int64_t>(element.index) - rows.first);
    };
    for (const Element& element : vectors.elements)
        if (contains(rows, element.index)) ++result.starts[row_of(element) + 2];
    for (std::size_t i = 2; i < result.starts.size(); ++i) result.starts[i] += result.starts[i - 1];
    result.elements.resize(result.starts.back());
    for (std::uint32_t vector = 0; vector + 1 < vectors.starts.size(); ++vector)
        for (const Element& element : vectors.row(vector))
            if (contains(rows, element.index))
                result.elements[result.starts[row_of(element) + 1]++] = {vector, element.value};
    result.starts.pop_back();
    return result;
}

}  // namespace

Matrix::Matrix(const Class& problem, Range rows, Range columns) {
    const SparseRows vectors = generate_vectors(problem, rows, columns);
    const SparseRows members = members_of_rows(vectors, rows);

    // An upper bound, since duplicates count singly. Memory that stays unused is never touched.
    std::size_t most = 0;
    for (const Element& member : members.elements) most += vectors.row(member.index).size();
    columns_.reserve(most);
    values_.reserve(most);

    // Vector i has the weight 0.1^(i / order), which sets the condition number.
    const double ratio = std::pow(kReciprocalCondition, 1.0 / static_cast<double>(problem.order));
    std::vector<double> weights(static_cast<std::size_t>(problem.order));
    double weight = 1.0;
    for (double& each : weights) {
        each = weight;
        weight *= ratio;
    }

    starts_.push_back(0);
    std::vector<double> sums(static_cast<std::size_t>(columns.count));
    std::vector<char> present(static_cast<std::size_t>(columns.count), 0);
    std::vector<std::int32_t> places;
    for (std::int64_t row = 0; row < rows.count; ++row) {
        const std::int64_t global_row = rows.first + row;
        places.clear();
        // Elements of one place add up in the order of their vectors.
        for (const Element& member : members.row(static_cast<std::size_t>(row))) {
            const double scale = weights[member.index] * member.value;
            for (const Element& other : vectors.row(member.index)) {
                if (!contains(columns, other.index)) continue;
                double value = other.value * scale;
                if (other.index == global_row && member.index == global_row)
                    value += kReciprocalCondition - problem.shift;
                const auto column = static_cast<std::int32_t>(other.index - columns.first);
                const auto place = static_cast<std::size_t>(column);
                if (!present[place]) {
                    present[place] = 1;
                    sums[place] = 0.0;
                    places.push_back(column);
                }
                sums[place] += value;
            }
        }
        std::sort(places.begin(), places.end());
        for (const std::int32_t column : places) {
            columns_.push_back(column);
            values_.push_back(sums[static_cast<std::size_t>(column)]);
            present[static_cast<std::size_t>(column)] = 0;
        }
        starts_.push_back(values_.size());
    }
}

void Matrix::multiply(const std::vector<double>& x, std::vector<double>& result) const {
    for (std::size_t row = 0; row + 1 < starts_.size(); ++row) {
        double sum = 0.0;
        for (std::size_t k = starts_[row]; k < starts_[row + 1]; ++k)
            sum += values_[k] * x[static_cast<std::size_t>(columns_[k])];
        result[row] = sum;
    }
}

}  // namespace linkworth::npb::cg
