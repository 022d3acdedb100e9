// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// An OTF2 archive as a trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "convert/otf2/archive.hpp"

namespace linkworth::convert {

/// Contents taken from an archive, and the problems found in it.
struct Otf2Taken {
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;
    std::map<std::string, std::uint64_t> unknown;  ///< records without a place in a trace, by kind
    std::map<std::string, std::uint64_t> silent;   ///< calls that communicate, without a record of the data
    std::uint64_t without_message = 0;  ///< non-blocking receives and collectives whose end is not recorded
    std::uint64_t far_ahead = 0;        ///< receives that end so late that they are taken as wildcards
    std::uint64_t divided = 0;          ///< collectives whose counts by peer were divided evenly
    std::uint64_t in_place = 0;         ///< collectives that may have used MPI_IN_PLACE, with larger sizes
    std::uint64_t unfinished = 0;       ///< calls that the archive ends in
};

/// Writes an archive as a trace. Throws ConvertError, and tracefile::WriteError.
Otf2Taken read_otf2(const Otf2Archive& archive, const std::string& path, const std::string& metadata_json);

}  // namespace linkworth::convert
