// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "tracefile/writer.hpp"

#include <cmath>
#include <unordered_map>
#include <utility>

#include "tracefile/container_writer.hpp"
#include "tracefile/shape_codec.hpp"
#include "tracefile/shape_table.hpp"
#include "tracefile/trace.hpp"
#include "tracefile/varint.hpp"

namespace linkworth::tracefile {
namespace {

constexpr std::size_t block_bytes = 65536;
constexpr double tick = 1e-9;
// Names that come after the first full block; every MPI procedure there is takes 13 KB.
constexpr std::size_t names_room = 32768;

struct RankBuffer {
    std::vector<std::uint8_t> raw;
    ShapeTable shapes;
    std::uint32_t events = 0;
    std::uint32_t sequence = 0;
    std::uint64_t base_ns = 0;
    std::uint64_t clock_ns = 0;
    std::uint64_t first_request = 0;
    std::uint64_t next_request = 0;
};

std::uint64_t nanoseconds(double seconds) {
    if (!(seconds >= 0 && seconds < 1e9)) {
        throw TraceError("a time in a trace is 0 to 1e9 seconds, not " + std::to_string(seconds));
    }
    return static_cast<std::uint64_t>(std::llround(seconds / tick));
}

}  // namespace

struct TraceWriter::State {
    State(const std::string& path, std::uint32_t ranks, std::string metadata_json)
        : file(path, ranks), metadata(std::move(metadata_json)), buffers(ranks) {}

    ContainerWriter file;
    std::string metadata;
    std::vector<RankBuffer> buffers;
    std::vector<std::string> names;
    std::unordered_map<std::string, std::uint32_t> name_numbers;
    std::vector<std::uint8_t> payload;
    Shape checked;
    Compressor compressor;

    std::uint32_t shape_number(RankBuffer& buffer, const Shape& shape);
    void flush(std::uint32_t rank);
};

TraceWriter::TraceWriter(const std::string& path, std::uint32_t ranks, std::string metadata_json)
    : state_(std::make_unique<State>(path, ranks, std::move(metadata_json))) {}
TraceWriter::~TraceWriter() = default;
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;

std::uint32_t TraceWriter::name(const std::string& name) {
    const auto [entry, added] =
        state_->name_numbers.try_emplace(name, static_cast<std::uint32_t>(state_->names.size()));
    if (added) {
        state_->names.push_back(name);
    }
    return entry->second;
}

std::uint32_t TraceWriter::State::shape_number(RankBuffer& buffer, const Shape& shape) {
    payload.clear();
    encode_shape(shape, payload);
    const std::uint32_t known = buffer.shapes.find(payload, buffer.raw);
    if (known != ShapeTable::absent) {
        return known;
    }
    if (shape.name >= names.size() || !decode_shape(payload, checked)) {
        throw TraceError(
            "a call of class " + std::to_string(static_cast<int>(shape.call_class)) +
            " has a field that the trace format cannot hold (a negative communicator, a rank beyond "
            "32 bits, or a name that was not added)");
    }
    append_varint(buffer.raw, head_shape);
    append_varint(buffer.raw, payload.size());
    buffer.raw.insert(buffer.raw.end(), payload.begin(), payload.end());
    return buffer.shapes.add(payload, buffer.raw.size() - payload.size());
}

void TraceWriter::event(std::uint32_t rank, const Shape& shape, double gap_seconds, double cpu_seconds,
                        double duration_seconds) {
    State& state = *state_;
    if (rank >= state.buffers.size()) {
        throw TraceError("this trace has " + std::to_string(state.buffers.size()) +
                         " ranks: there is no rank " + std::to_string(rank));
    }
    const bool has_cpu = cpu_seconds >= 0;
    const std::uint64_t gap = nanoseconds(gap_seconds);
    const std::uint64_t cpu = has_cpu ? nanoseconds(cpu_seconds) : 0;
    const std::uint64_t duration = nanoseconds(duration_seconds);
    RankBuffer& buffer = state.buffers[rank];
    const std::uint64_t number = state.shape_number(buffer, shape);
    append_varint(buffer.raw, head_event + 2 * number + (has_cpu ? 1 : 0));
    append_varint(buffer.raw, gap);
    if (has_cpu) {
        append_varint(buffer.raw, cpu);
    }
    append_varint(buffer.raw, duration);
    buffer.clock_ns += gap + duration;
    buffer.next_request += makes_request(shape.call_class) ? 1 : 0;
    ++buffer.events;
    if (buffer.raw.size() >= block_bytes) {
        state.flush(rank);
    }
}

void TraceWriter::State::flush(std::uint32_t rank) {
    RankBuffer& buffer = buffers[rank];
    if (!file.begun()) {
        file.begin(metadata, names, names_room);
    }
    BlockHeader header;
    header.rank = rank;
    header.sequence = buffer.sequence++;
    header.events = buffer.events;
    header.base_ns = buffer.base_ns;
    header.next_request = buffer.first_request;
    header.seconds_per_tick = tick;
    file.append(header, buffer.raw, &compressor);
    buffer.raw.clear();
    buffer.shapes.clear();
    buffer.events = 0;
    buffer.base_ns = buffer.clock_ns;
    buffer.first_request = buffer.next_request;
}

std::vector<std::byte> TraceWriter::close() {
    State& state = *state_;
    if (!state.file.begun()) {
        state.file.begin(state.metadata, state.names, 0);
    }
    for (std::uint32_t rank = 0; rank < state.buffers.size(); ++rank) {
        if (state.buffers[rank].events > 0) {
            state.flush(rank);
        }
    }
    return state.file.close(state.names, 0);
}

}  // namespace linkworth::tracefile
