// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace linkworth::netbench {

/// Computes for `steps` steps, without memory traffic and without reading a clock. If the core is taken away
/// meanwhile, it takes longer, like a program's computation.
void compute(std::int64_t steps);

}  // namespace linkworth::netbench
