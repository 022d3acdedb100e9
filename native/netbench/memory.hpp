// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace linkworth::netbench {

/// Bytes of memory of this machine, the limit of its control group not counted.
double machine_memory();

}  // namespace linkworth::netbench
