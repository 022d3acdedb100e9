// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "tracefile/row_batch.hpp"

namespace linkworth::tracefile {

#if defined(__x86_64__)
std::size_t batch_lanes() {
    static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
    static const bool has_avx512 =
        has_avx2 && __builtin_cpu_supports("popcnt") != 0 && __builtin_cpu_supports("avx512f") != 0 &&
        __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
        __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vbmi") != 0 &&
        __builtin_cpu_supports("avx512vbmi2") != 0;
    return has_avx512 ? avx512_lanes : has_avx2 ? avx2_lanes : 0;
}

bool read_batch(RowBatch& batch, std::span<EventRow, batch_rows> rows) {
    return batch.lanes == avx512_lanes && batch.byte_columns != nullptr ? read_batch_by_avx512(batch, rows)
                                                                        : read_batch_by_avx2(batch, rows);
}
#else
std::size_t batch_lanes() { return 0; }

bool read_batch(RowBatch&, std::span<EventRow, batch_rows>) { return false; }
#endif

void give_back(RowBatch& batch) {
    for (std::size_t at = 0; at < batch_rows; ++at) {
        const ShapeColumns& of = batch.columns[batch.heads[at] >> 1];
        --batch.symbols[of.gap];
        --batch.symbols[of.duration];
    }
}

}  // namespace linkworth::tracefile
