// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace linkworth::npb {

/// Version of the programs here, not of NASA's. It changes when what they compute, time or print does.
inline constexpr const char* kVersion = "1.0";

}  // namespace linkworth::npb
