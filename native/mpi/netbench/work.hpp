// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace linkworth::netbench {

/// Computes for as many steps, without memory traffic and without looking at a clock: a core that is taken
/// away meanwhile makes it longer, as it makes a program's computation longer.
void compute(std::int64_t steps);

}  // namespace linkworth::netbench
