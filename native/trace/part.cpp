// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/part.hpp"

#include <algorithm>
#include <cstring>

#include "calls/names.hpp"
#include "trace/container.hpp"
#include "trace/trace.hpp"
#include "trace/wire.hpp"

namespace linkworth::tracefile {
namespace {

constexpr char part_magic[8] = {'L', 'W', 'P', 'A', 'R', 'T', '1', '\0'};
constexpr std::uint32_t part_version = 3;
constexpr std::size_t part_header_bytes = 1024;
constexpr std::size_t block_header_bytes = 64;
// Between two readings that are so far apart, the clocks' own cost (some 50 ns) is below a millionth.
constexpr std::uint64_t long_enough_ns = 50'000'000;
constexpr double longest_tick = 1e-3;

std::string text(const std::uint8_t* at, std::size_t room) {
    const auto* const letters = reinterpret_cast<const char*>(at);
    return {letters, strnlen(letters, room)};
}

Instant instant(const std::uint8_t* at) {
    return {load<std::uint64_t>(at), load<std::uint64_t>(at + 8), load<std::uint64_t>(at + 16)};
}

double tick_seconds(const PartHeader& header) {
    const Instant& start = header.start;
    const Instant& latest = header.latest;
    const bool moved = latest.ticks > start.ticks && latest.monotonic_ns > start.monotonic_ns;
    const std::uint64_t apart = moved ? latest.monotonic_ns - start.monotonic_ns : 0;
    const bool header_knows = header.ticks_per_second > 1 && header.ticks_per_second < 1e12;
    if (apart >= long_enough_ns || (apart > 0 && !header_knows)) {
        const double measured =
            static_cast<double>(apart) * 1e-9 / static_cast<double>(latest.ticks - start.ticks);
        return measured < longest_tick ? measured : 0.0;
    }
    return header_knows ? 1.0 / header.ticks_per_second : 0.0;
}

}  // namespace

Part::Part(const std::string& path, bool with_records) : path_(path), file_(path) {
    read_header();
    counts_ = CallCounts(names_.size());
    seconds_per_tick_ = tick_seconds(header_);
    if (with_records) read_blocks();
}

void Part::read_header() {
    const auto bytes = file_.bytes();
    if (bytes.size() < part_header_bytes || std::memcmp(bytes.data(), part_magic, sizeof part_magic) != 0)
        throw TraceError(path_ + " is not the part of a trace, or its header is cut");
    const auto version = load<std::uint32_t>(&bytes[8]);
    if (version != part_version) {
        throw TraceError(path_ + " has part format version " + std::to_string(version) +
                         ", and this linkworth reads version " + std::to_string(part_version) +
                         " only: merge it with the linkworth that recorded it");
    }
    header_.flags = load<std::uint32_t>(&bytes[12]);
    header_.rank = load<std::int32_t>(&bytes[16]);
    header_.size = load<std::int32_t>(&bytes[20]);
    header_.block_bytes = load<std::uint32_t>(&bytes[24]);
    header_.first_block = load<std::uint32_t>(&bytes[28]);
    const auto names_offset = load<std::uint32_t>(&bytes[32]);
    const auto names_bytes = load<std::uint32_t>(&bytes[36]);
    header_.start = instant(&bytes[40]);
    header_.latest = instant(&bytes[64]);
    header_.cpu_ns = load<std::uint64_t>(&bytes[88]);
    header_.dropped = load<std::uint64_t>(&bytes[96]);
    header_.pid = load<std::int32_t>(&bytes[104]);
    header_.cores = load<std::int32_t>(&bytes[108]);
    header_.ticks_per_second = load<double>(&bytes[112]);
    header_.first_core = load<std::int32_t>(&bytes[120]) - 1;
    header_.helpers_seconds = load<std::uint32_t>(&bytes[124]) * 1e-3;
    header_.host = text(&bytes[128], 128);
    header_.library = text(&bytes[768], 192);
    header_.processor = text(&bytes[960], 64);
    if (names_offset > bytes.size() || names_bytes > bytes.size() - names_offset ||
        header_.block_bytes <= block_header_bytes) {
        throw TraceError(path_ +
                         " has a damaged header (its table of names or its block size makes no sense)");
    }
    entries_ = split_names(bytes.subspan(names_offset, names_bytes));
    for (const std::string& entry : entries_) names_.emplace_back(at_site(entry).name);
}

void Part::read_blocks() {
    const auto bytes = file_.bytes();
    std::size_t offset = header_.first_block;
    while (offset < bytes.size() && bytes.size() - offset >= block_header_bytes) {
        const auto magic = load<std::uint32_t>(&bytes[offset]);
        if (magic != block_magic) {
            if (magic == 0) {
                // Space that a thread had taken and did not use.
                offset += header_.block_bytes;
                continue;
            }
            problems_.push_back("from byte " + std::to_string(offset) +
                                " of its part on there are no blocks");
            return;
        }
        const std::uint64_t units = std::max<std::uint64_t>(1, load<std::uint32_t>(&bytes[offset + 44]));
        const std::uint64_t size = units * header_.block_bytes;
        read_block(offset, std::min<std::uint64_t>(size, bytes.size() - offset));
        offset += size;
    }
}

void Part::read_block(std::size_t offset, std::size_t size) {
    const auto bytes = file_.bytes().subspan(offset, size);
    const std::size_t used = load<std::uint32_t>(&bytes[4]);
    const std::size_t room = size - block_header_bytes;
    auto records = bytes.subspan(block_header_bytes, used == 0 ? room : std::min(used, room));
    const RecordScan scan = scan_records(records, names_, counts_);
    if (!scan.problem.empty() || used > room) {
        problems_.push_back("its block at byte " + std::to_string(offset) + " ends with " +
                            (scan.problem.empty() ? "the file" : scan.problem) +
                            ", which is dropped with what follows in the block");
    }
    if (scan.events == 0) return;
    blocks_.push_back({load<std::uint64_t>(&bytes[8]), load<std::uint64_t>(&bytes[16]),
                       load<std::uint32_t>(&bytes[48]), records.first(scan.sound_bytes), scan.events,
                       scan.ticks});
    events_ += scan.events;
}

const char* Part::state() const {
    if (has(part_aborted)) return "aborted";
    if (has(part_disk_full)) return "disk full";
    return has(part_finalised) ? "complete" : "cut";
}

std::uint64_t Part::last_ticks() const {
    std::uint64_t last = std::max(header_.start.ticks, header_.latest.ticks);
    for (const PartBlock& block : blocks_) last = std::max(last, block.base_ticks + block.ticks);
    return last;
}

}  // namespace linkworth::tracefile
