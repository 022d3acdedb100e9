// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Choice of the times that share a column. Their symbols are about equally frequent, so that one code fits
/// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/event_records.hpp"

namespace linkworth::tracefile {

struct ColumnGroups {
    std::vector<std::uint32_t> gap_of_shape;
    std::vector<std::uint32_t> duration_of_shape;
    std::size_t count = 0;  ///< groups are numbered from 0
};

/// Groups the gaps and the durations of each shape. Starts from small groups of like mean. Joins the two
/// groups that cost least to join, as long as a column of its own costs more: the bytes of its code, and the
/// time to read them.
ColumnGroups group_columns(const EventRecords& records);

}  // namespace linkworth::tracefile
