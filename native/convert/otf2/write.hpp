// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A trace as an OTF2 archive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace linkworth::convert {

struct Otf2Options {
    std::string library;  ///< of native/otf2
    std::string folder;   ///< exists; gets `name`.otf2, `name`.def and the folder `name`
    std::string name;
    std::string creator;
    std::string description;
    std::string program;
    std::vector<std::string> hosts;  ///< by rank; empty if they are not known
    std::uint64_t date_ns = 0;       ///< since 1970; 0: not known
    bool attributes = true;          ///< keep data without a place in OTF2, and the metadata
};

struct Otf2Written {
    std::uint64_t records = 0;
    std::uint64_t without_place = 0;  ///< calls that OTF2 alone cannot express completely
};

/// Throws ConvertError.
Otf2Written write_otf2(const tracefile::Trace& trace, const Otf2Options& options);

}  // namespace linkworth::convert
