// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/read.hpp"

#include "convert/otf2/rank_reader.hpp"

namespace linkworth::convert {

Otf2Taken read_otf2(const Otf2Archive& archive, const std::string& path, const std::string& metadata_json) {
    const auto ranks = static_cast<std::uint32_t>(archive.ranks.size());
    tracefile::TraceWriter writer(path, ranks, metadata_json);
    Otf2Taken taken;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        Otf2RankReader(archive, writer, rank, taken).read();
        writer.finish(rank);
    }
    writer.close();
    taken.bytes = writer.bytes();
    return taken;
}

}  // namespace linkworth::convert
