// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/writer.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "trace/container_writer.hpp"
#include "trace/shape_codec.hpp"
#include "trace/trace.hpp"

namespace linkworth::tracefile {
namespace {

// Names that come after the first full block; every MPI procedure there is takes 13 KB.
constexpr std::size_t names_room = 32768;

}  // namespace

std::uint64_t nanoseconds(double seconds) {
    if (!(seconds >= 0 && seconds < 1e9)) {
        std::array<char, 32> given{};
        std::snprintf(given.data(), given.size(), "%g", seconds);
        throw TraceError(std::string("a time in a trace is 0 to 1e9 seconds, not ") + given.data());
    }
    return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

struct TraceWriter::State final : BlockSink {
    State(const std::string& path, std::uint32_t ranks, std::string metadata_json)
        : file(path, ranks), metadata(std::move(metadata_json)) {
        for (std::uint32_t rank = 0; rank < ranks; ++rank) writers.emplace_back(*this, rank);
    }

    ContainerWriter file;
    std::string metadata;
    std::vector<RankWriter> writers;
    std::vector<std::string> names;
    std::unordered_map<std::string, std::uint32_t> name_numbers;
    std::once_flag begun;

    void begin(std::size_t room) {
        std::call_once(begun, [&] {
            Compressor compressor;
            file.begin(metadata, names, room, &compressor);
        });
    }
    void append(const BlockHeader& header, std::span<const std::uint8_t> raw) override {
        thread_local Compressor compressor;
        begin(names_room);
        file.append(header, raw, &compressor);
    }
    RankWriter& writer(std::uint32_t rank) {
        if (rank >= writers.size()) {
            throw TraceError("this trace has " + std::to_string(writers.size()) +
                             " ranks: there is no rank " + std::to_string(rank));
        }
        return writers[rank];
    }
};

TraceWriter::TraceWriter(const std::string& path, std::uint32_t ranks, std::string metadata_json)
    : state_(std::make_unique<State>(path, ranks, std::move(metadata_json))) {}
TraceWriter::~TraceWriter() = default;
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;

std::uint32_t TraceWriter::name(const std::string& name) {
    const auto [entry, added] =
        state_->name_numbers.try_emplace(name, static_cast<std::uint32_t>(state_->names.size()));
    if (added) state_->names.push_back(name);
    return entry->second;
}

void TraceWriter::event(std::uint32_t rank, const Shape& shape, double gap_seconds, double cpu_seconds,
                        double duration_seconds) {
    RankWriter& writer = state_->writer(rank);
    if (shape.name >= state_->names.size())
        throw TraceError("a call has the name " + std::to_string(shape.name) + ", which was not added");
    const std::uint64_t gap = nanoseconds(gap_seconds);
    const std::int64_t cpu = cpu_seconds >= 0 ? static_cast<std::int64_t>(nanoseconds(cpu_seconds)) : -1;
    const std::uint64_t duration = nanoseconds(duration_seconds);
    writer.event(writer.shape(shape), makes_request(shape.call_class), gap, cpu, duration);
}

RankWriter& TraceWriter::rank(std::uint32_t rank) { return state_->writer(rank); }

void TraceWriter::finish(std::uint32_t rank) {
    RankWriter& writer = state_->writer(rank);
    writer.flush();
    writer = RankWriter(*state_, rank);
}

std::vector<std::byte> TraceWriter::close() {
    State& state = *state_;
    state.begin(0);
    for (RankWriter& writer : state.writers) writer.flush();
    return state.file.close(state.names, 0);
}

std::uint64_t TraceWriter::bytes() const { return state_->file.bytes(); }

}  // namespace linkworth::tracefile
