// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/merge.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "calls/names.hpp"
#include "trace/container_writer.hpp"
#include "trace/parallel.hpp"
#include "trace/part.hpp"
#include "trace/record_rewrite.hpp"
#include "trace/thread_merge.hpp"
#include "trace/trace.hpp"

namespace linkworth::tracefile {
namespace {

/// Records of a block, in bytes. In larger blocks, a smaller share is tables of codes; but a reader keeps a
/// block of each rank.
constexpr std::size_t largest_joined_block = 1U << 18;

using Parts = std::vector<std::unique_ptr<Part>>;

std::size_t thread_count() { return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 2); }

/// Opens all parts; one that cannot be used is named in `lost` and left out.
Parts open_parts(const std::vector<std::string>& paths, std::vector<std::string>& lost) {
    Parts parts(paths.size());
    std::vector<std::string> problems(paths.size());
    parallel_for(paths.size(), thread_count(), [&](std::size_t item) {
        try {
            auto part = std::make_unique<Part>(paths[item]);
            const PartHeader& header = part->header();
            if (part->has(part_restarted)) {
                problems[item] = "process " + std::to_string(header.pid) + " on " + header.host +
                                 " began MPI again after its last session or MPI_Finalize: only its calls "
                                 "before that are recorded";
                return;
            }
            if (!part->has(part_initialised) || header.rank < 0 || header.size <= header.rank ||
                static_cast<std::uint32_t>(header.size) > most_ranks) {
                problems[item] = "process " + std::to_string(header.pid) + " on " + header.host +
                                 " did not come out of MPI_Init and has no rank: its part " + paths[item] +
                                 " is left out";
                return;
            }
            parts[item] = std::move(part);
        } catch (const TraceError& error) {
            problems[item] = std::string(error.what()) + ": the rank that wrote it is lost";
        }
    });
    std::erase(parts, nullptr);
    std::ranges::copy_if(problems, std::back_inserter(lost),
                         [](const std::string& text) { return !text.empty(); });
    return parts;
}

/// Returns the start of every process in nanoseconds of one clock. A host's monotonic clock orders its own
/// processes. Hosts are aligned by the real-time clock at each host's first start, so that a later step of it
/// does no harm.
std::vector<std::int64_t> common_starts(const Parts& parts) {
    struct HostClock {
        std::uint64_t first_start;
        std::int64_t offset;
    };
    std::map<std::string, HostClock> hosts;
    for (const auto& part : parts) {
        const Instant& start = part->header().start;
        const auto offset = static_cast<std::int64_t>(start.realtime_ns - start.monotonic_ns);
        const auto [host, added] =
            hosts.try_emplace(part->header().host, HostClock{start.monotonic_ns, offset});
        if (!added && start.monotonic_ns < host->second.first_start)
            host->second = {start.monotonic_ns, offset};
    }
    std::vector<std::int64_t> starts;
    for (const auto& part : parts) {
        const auto monotonic = static_cast<std::int64_t>(part->header().start.monotonic_ns);
        starts.push_back(monotonic + hosts.at(part->header().host).offset);
    }
    return starts;
}

/// If a part's own readings do not determine the length of a tick, takes it from another process of its host.
void borrow_tick_lengths(const Parts& parts) {
    for (const auto& part : parts) {
        if (part->seconds_per_tick() > 0) continue;
        const auto neighbour = std::ranges::find_if(parts, [&part](const auto& other) {
            return other->seconds_per_tick() > 0 && other->header().host == part->header().host;
        });
        // Without the counter, ticks are nanoseconds of the monotonic clock.
        const bool counter = part->has(part_counter_ticks);
        part->set_seconds_per_tick(counter && neighbour != parts.end() ? (*neighbour)->seconds_per_tick()
                                                                       : 1e-9);
    }
}

std::string who(const Part& part) {
    return "rank " + std::to_string(part.header().rank) + " (process " + std::to_string(part.header().pid) +
           " on " + part.header().host + ")";
}

/// Part of each rank, or nothing. The size of the world is that of the part that started first.
struct World {
    std::vector<const Part*> part_of_rank;
    std::vector<std::int64_t> start_of_rank;
    std::int64_t origin = 0;
};

World arrange(const Parts& parts, std::vector<std::string>& damage) {
    const std::vector<std::int64_t> starts = common_starts(parts);
    std::vector<std::size_t> order(parts.size());
    for (std::size_t item = 0; item < order.size(); ++item) order[item] = item;
    std::ranges::stable_sort(order, {}, [&starts](std::size_t item) { return starts[item]; });
    const std::int32_t size = parts[order.front()]->header().size;
    World world;
    world.origin = starts[order.front()];
    world.part_of_rank.assign(static_cast<std::size_t>(size), nullptr);
    world.start_of_rank.assign(static_cast<std::size_t>(size), world.origin);
    for (const std::size_t item : order) {
        const Part& part = *parts[item];
        const auto rank = static_cast<std::size_t>(part.header().rank);
        if (part.header().size != size) {
            damage.push_back(who(part) + " belongs to another run of " + std::to_string(part.header().size) +
                             " ranks: its part is left out");
        } else if (world.part_of_rank[rank] != nullptr) {
            damage.push_back(who(part) +
                             " was recorded a second time (a second MPI program in the run): its part is "
                             "left out");
        } else {
            world.part_of_rank[rank] = &part;
            world.start_of_rank[rank] = starts[item];
        }
    }
    return world;
}

MergedRank describe(const Part& part, std::int64_t start, std::int64_t origin) {
    MergedRank info;
    const PartHeader& header = part.header();
    info.rank = static_cast<std::uint32_t>(header.rank);
    info.host = header.host;
    info.processor = header.processor;
    info.pid = header.pid;
    info.state = part.state();
    info.start_seconds = static_cast<double>(start - origin) * 1e-9;
    info.elapsed_seconds =
        static_cast<double>(part.last_ticks() - header.start.ticks) * part.seconds_per_tick();
    info.cpu_seconds = static_cast<double>(header.cpu_ns) * 1e-9;
    info.helpers_seconds = header.helpers_seconds;
    info.cores = header.cores;
    info.first_core = header.first_core;
    info.dropped_events = header.dropped;
    info.events = part.events();
    return info;
}

/// "3, 5 to 8".
std::string rank_list(const std::vector<std::size_t>& ranks) {
    std::string text;
    for (std::size_t first = 0; first < ranks.size();) {
        std::size_t last = first;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        text += (text.empty() ? "" : ", ") + std::to_string(ranks[first]);
        if (last > first) text += " to " + std::to_string(ranks[last]);
        first = last + 1;
    }
    return text;
}

void describe_ranks(const World& world, MergeResult& result) {
    std::vector<std::string>& damage = result.damage;
    std::vector<std::size_t> absent;
    for (std::size_t rank = 0; rank < world.part_of_rank.size(); ++rank) {
        const Part* part = world.part_of_rank[rank];
        if (part == nullptr) {
            MergedRank missing;
            missing.rank = static_cast<std::uint32_t>(rank);
            result.rank_info.push_back(missing);
            absent.push_back(rank);
            continue;
        }
        MergedRank info = describe(*part, world.start_of_rank[rank], world.origin);
        if (info.state == "cut") {
            damage.push_back(who(*part) + " did not reach MPI_Finalize: its record is cut after " +
                             std::to_string(info.events) + " calls");
        } else if (info.state == "aborted") {
            damage.push_back(who(*part) + " called MPI_Abort");
        } else if (info.state == "disk full") {
            damage.push_back(who(*part) + " had no more space to record in: " +
                             std::to_string(info.dropped_events) + " calls are missing at its end");
        }
        for (const std::string& problem : part->problems())
            damage.push_back("rank " + std::to_string(rank) + ": " + problem);
        result.events += info.events;
        result.rank_info.push_back(std::move(info));
    }
    if (!absent.empty()) {
        damage.push_back((absent.size() == 1 ? "rank " : "ranks ") + rank_list(absent) + " of " +
                         std::to_string(world.part_of_rank.size()) +
                         " left no part that can be used: the trace holds no events of " +
                         (absent.size() == 1 ? "it" : "them"));
    }
}

/// One table for all ranks of the names that occur, and the new numbers of each rank's own.
struct CommonNames {
    std::vector<std::string> names;
    std::vector<std::vector<std::uint32_t>> new_number;
};

CommonNames common_names(const World& world) {
    CommonNames common;
    common.new_number.resize(world.part_of_rank.size());
    std::map<std::string, std::uint32_t> number;
    for (std::size_t rank = 0; rank < world.part_of_rank.size(); ++rank) {
        if (world.part_of_rank[rank] == nullptr) continue;
        const Part& part = *world.part_of_rank[rank];
        for (std::size_t entry = 0; entry < part.entries().size(); ++entry) {
            if (part.counts().events[entry] == 0) {
                common.new_number[rank].push_back(0);  // of shapes that no event has, too
                continue;
            }
            const auto [known, added] =
                number.try_emplace(part.entries()[entry], static_cast<std::uint32_t>(common.names.size()));
            if (added) common.names.push_back(known->first);
            common.new_number[rank].push_back(known->second);
        }
    }
    return common;
}

void count_unmodelled(const World& world, MergeResult& result) {
    for (const Part* part : world.part_of_rank) {
        for (std::size_t name = 0; part != nullptr && name < part->names().size(); ++name) {
            const std::uint64_t count = part->counts().not_modelled[name];
            if (count > 0 && communicates(part->names()[name]))
                result.unmodelled[part->names()[name]] += count;
        }
    }
}

void write_rank(const Part& part, std::int64_t start_ns, const std::vector<std::uint32_t>& new_number,
                const MergeOptions& options, ContainerWriter& file) {
    std::optional<Compressor> compressor;
    if (options.compress) compressor.emplace();
    std::optional<TimeGrid> grid;
    if (options.step_ns > 0) {
        grid.emplace(part.header().start.ticks, static_cast<double>(start_ns), part.seconds_per_tick() * 1e9,
                     options.step_ns);
    }
    BlockHeader header;
    header.rank = static_cast<std::uint32_t>(part.header().rank);
    header.seconds_per_tick = grid ? options.step_ns * 1e-9 : part.seconds_per_tick();
    RecordRewriter joined(new_number, grid ? &*grid : nullptr);
    const auto flush = [&] {
        if (joined.events() == 0) return;
        const auto ticks = static_cast<std::int64_t>(joined.base_ticks() - part.header().start.ticks);
        const double since_start = std::max(0.0, static_cast<double>(ticks) * part.seconds_per_tick());
        header.base_ns = grid ? grid->steps(joined.base_ticks()) * options.step_ns
                              : static_cast<std::uint64_t>(start_ns + std::llround(since_start * 1e9));
        header.next_request = joined.first_request();
        header.events = static_cast<std::uint32_t>(joined.events());
        file.append(header, joined.records(), compressor ? &*compressor : nullptr);
        ++header.sequence;
        joined.clear();
    };
    const auto write = [&](const PartBlock& block) {
        if (!joined.is_followed_by(block) ||
            joined.records().size() + block.records.size() > largest_joined_block) {
            flush();
        }
        joined.add(block);
    };
    if (has_threads(part))
        merge_threads(part, write);
    else
        std::ranges::for_each(part.blocks(), write);
    flush();
}

}  // namespace

MergeResult merge_parts(const std::vector<std::string>& paths, const std::string& output,
                        const MakeMetadata& make_metadata, const MergeOptions& options) {
    MergeResult result;
    const Parts parts = open_parts(paths, result.damage);
    if (parts.empty()) {
        throw TraceError("no rank was recorded, so there is no trace to write" +
                         (result.damage.empty() ? std::string(": the program made no part")
                                                : ": " + result.damage.front()));
    }
    borrow_tick_lengths(parts);
    const World world = arrange(parts, result.damage);
    describe_ranks(world, result);
    count_unmodelled(world, result);
    result.ranks = static_cast<std::uint32_t>(world.part_of_rank.size());
    const CommonNames common = common_names(world);
    ContainerWriter file(output, result.ranks);
    std::optional<Compressor> compressor;
    if (options.compress) compressor.emplace();
    file.begin(make_metadata(result), common.names, 0, compressor ? &*compressor : nullptr);
    parallel_for(world.part_of_rank.size(), thread_count(), [&](std::size_t rank) {
        if (world.part_of_rank[rank] != nullptr) {
            const std::int64_t start = world.start_of_rank[rank] - world.origin;
            write_rank(*world.part_of_rank[rank], start, common.new_number[rank], options, file);
        }
    });
    const bool cut =
        std::ranges::any_of(result.rank_info, [](const auto& info) { return info.state != "complete"; });
    file.close(common.names, cut ? flag_cut : 0);
    result.file_bytes = file.bytes();
    return result;
}

}  // namespace linkworth::tracefile
