// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Messages of a run: their number by size, sender and receiver.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace linkworth::profile {

struct SizeClass {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

class Traffic {
  public:
    /// At most `rows` rows and columns: with more ranks, equal groups of neighbouring ranks share one.
    /// `nodes`: the node of each rank; empty if it is not known.
    Traffic(std::uint32_t ranks, std::uint32_t rows, std::vector<std::uint32_t> nodes);

    void add(std::int32_t from, std::int32_t to, std::uint64_t bytes, std::uint64_t times = 1);

    std::uint32_t ranks_per_row() const { return ranks_per_row_; }
    std::uint32_t rows() const { return rows_; }
    /// rows() x rows(), in row order: bytes from row to column.
    const std::vector<std::uint64_t>& matrix() const { return matrix_; }
    /// Class 0 contains empty messages, class k those of 2^(k-1) to 2^k - 1 bytes.
    const std::array<SizeClass, 65>& sizes() const { return sizes_; }
    std::uint64_t messages() const { return messages_; }
    std::uint64_t bytes() const { return bytes_; }
    /// Messages by distance to - from (world ranks), from -(ranks - 1) on.
    const std::vector<SizeClass>& distances() const { return distances_; }
    const SizeClass& between_nodes() const { return between_nodes_; }
    /// The node of each rank; 0 for all if it is not known.
    const std::vector<std::uint32_t>& nodes() const { return nodes_; }

  private:
    std::uint32_t ranks_per_row_;
    std::uint32_t rows_;
    std::vector<std::uint32_t> row_of_;  ///< by rank
    std::vector<std::uint64_t> matrix_;
    std::array<SizeClass, 65> sizes_{};
    std::uint32_t ranks_;
    std::vector<std::uint32_t> nodes_;
    std::vector<SizeClass> distances_;
    SizeClass between_nodes_;
    std::uint64_t messages_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace linkworth::profile
