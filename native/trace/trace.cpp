// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/trace.hpp"

#include <utility>

#include "trace/trace_data.hpp"

namespace linkworth::tracefile {

std::shared_ptr<const Trace> Trace::open(const std::string& path, bool refuse_damage) {
    auto data = std::make_shared<TraceData>();
    data->label = path;
    data->file = FileBytes(path);
    data->bytes = data->file.bytes();
    data->refuse_damage = refuse_damage;
    read_container(*data);
    return std::shared_ptr<const Trace>(new Trace(std::move(data)));
}

std::shared_ptr<const Trace> Trace::from_bytes(std::vector<std::byte> bytes, std::string label) {
    auto data = std::make_shared<TraceData>();
    data->label = std::move(label);
    data->memory = std::move(bytes);
    data->bytes = {reinterpret_cast<const std::uint8_t*>(data->memory.data()), data->memory.size()};
    read_container(*data);
    return std::shared_ptr<const Trace>(new Trace(std::move(data)));
}

Trace::Trace(std::shared_ptr<const TraceData> data) : data_(std::move(data)) {}
Trace::~Trace() = default;

std::uint32_t Trace::ranks() const { return data_->header.ranks; }
std::uint64_t Trace::events() const { return data_->events; }
std::uint64_t Trace::file_bytes() const { return data_->bytes.size(); }
std::uint64_t Trace::raw_bytes() const { return data_->raw_bytes; }
std::string_view Trace::metadata_json() const { return data_->metadata; }
const std::vector<std::string>& Trace::names() const { return data_->names; }

const std::vector<std::string>& Trace::entries() const { return data_->entries; }
const std::vector<Damage>& Trace::damage() const { return data_->damage; }

std::vector<std::uint64_t> Trace::rank_events() const {
    std::vector<std::uint64_t> events(ranks(), 0);
    for (const IndexEntry& block : data_->blocks) events[block.rank] += block.events;
    return events;
}

const std::vector<std::uint64_t>& Trace::lost_events() const { return data_->lost_events; }
bool Trace::has_index() const { return data_->has_index; }

Collective Trace::collective_of(std::uint32_t name) const {
    return name < data_->collectives.size() ? data_->collectives[name] : Collective::none;
}

RankCursor Trace::cursor(std::uint32_t rank, std::pmr::memory_resource* memory) const {
    if (rank >= ranks()) {
        throw TraceError(data_->label + " has " + std::to_string(ranks()) + " ranks: there is no rank " +
                         std::to_string(rank));
    }
    return RankCursor(data_, rank, memory);
}

}  // namespace linkworth::tracefile
