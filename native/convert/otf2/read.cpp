// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/read.hpp"

#include "convert/otf2/rank_reader.hpp"
#include "convert/ti/ti.hpp"

namespace linkworth::convert {

Otf2Archive::Otf2Archive(const std::string& library, const std::string& anchor)
    : definitions_(std::make_unique<Otf2Definitions>(library, anchor)) {}
Otf2Archive::~Otf2Archive() = default;

const std::string& Otf2Archive::creator() const { return definitions_->creator; }

std::vector<std::string> Otf2Archive::hosts() const {
    std::vector<std::string> names;
    for (const Otf2Process& process : definitions_->ranks) names.push_back(process.host);
    return names;
}

double Otf2Archive::seconds() const {
    return static_cast<double>(definitions_->length) / static_cast<double>(definitions_->ticks_per_second);
}

std::optional<std::string> Otf2Archive::metadata_json() const {
    const char* kept = definitions_->library.get_property(definitions_->reader.get(), otf2_metadata_property);
    if (!definitions_->own || kept == nullptr) return std::nullopt;
    return kept;
}

Otf2Taken Otf2Archive::write_trace(const std::string& path, const std::string& metadata_json) const {
    const auto ranks = static_cast<std::uint32_t>(definitions_->ranks.size());
    tracefile::TraceWriter writer(path, ranks, metadata_json);
    Otf2Taken taken;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        Otf2RankReader(*definitions_, writer, rank, taken).read();
        writer.finish(rank);
    }
    writer.close();
    taken.bytes = writer.bytes();
    return taken;
}

}  // namespace linkworth::convert
