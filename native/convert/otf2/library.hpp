// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The library between the engine and OTF2 (native/otf2), loaded at run time.
#pragma once

#include "otf2/linkworth_otf2.h"

#include <string>

namespace linkworth::convert {

/// Loads it from `path`, once; it stays loaded. Throws ConvertError if it cannot be loaded.
const lw_otf2_interface& otf2_library(const std::string& path);

/// Throws ConvertError if a function of the library reported an error.
void otf2_check(const char* said, const char* doing);

}  // namespace linkworth::convert
