// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/traffic.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace linkworth::profile {

Traffic::Traffic(std::uint32_t ranks, std::uint32_t rows, std::vector<std::uint32_t> nodes)
    : ranks_per_row_(std::max(1U, (ranks + std::max(1U, rows) - 1) / std::max(1U, rows))),
      rows_((ranks + ranks_per_row_ - 1) / ranks_per_row_),
      row_of_(ranks),
      matrix_(std::size_t{rows_} * rows_, 0),
      ranks_(ranks),
      nodes_(std::move(nodes)),
      distances_(2 * std::size_t{ranks}) {
    nodes_.resize(ranks, 0);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) row_of_[rank] = rank / ranks_per_row_;
}

void Traffic::add(std::int32_t from, std::int32_t to, std::uint64_t bytes, std::uint64_t times) {
    if (static_cast<std::uint32_t>(from) >= ranks_ || static_cast<std::uint32_t>(to) >= ranks_) return;
    const std::uint64_t all = bytes * times;
    const std::size_t row = row_of_[static_cast<std::uint32_t>(from)];
    matrix_[row * rows_ + row_of_[static_cast<std::uint32_t>(to)]] += all;
    SizeClass& size = sizes_[static_cast<std::size_t>(std::bit_width(bytes))];
    size.messages += times;
    size.bytes += all;
    SizeClass& distance =
        distances_[static_cast<std::size_t>(to - from + static_cast<std::int32_t>(ranks_) - 1)];
    distance.messages += times;
    distance.bytes += all;
    if (nodes_[static_cast<std::uint32_t>(from)] != nodes_[static_cast<std::uint32_t>(to)]) {
        between_nodes_.messages += times;
        between_nodes_.bytes += all;
    }
    messages_ += times;
    bytes_ += all;
}

}  // namespace linkworth::profile
