// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/write.hpp"

#include <map>
#include <string_view>

#include "calls/names.hpp"
#include "convert/convert_error.hpp"
#include "convert/otf2/rank_writer.hpp"

namespace linkworth::convert {
namespace {

using tracefile::Collective;

constexpr auto definitions = "the definitions";

/// Bytes of a location's events that OTF2 collects before it writes them.
constexpr std::uint64_t chunk_bytes = 1 << 20;

lw_otf2_role role_of(std::string_view name) {
    switch (tracefile::collective_by_name(name)) {
        case Collective::none: break;
        case Collective::barrier: return LW_OTF2_ROLE_BARRIER;
        case Collective::bcast:
        case Collective::scatter:
        case Collective::scatterv: return LW_OTF2_ROLE_ONE_TO_ALL;
        case Collective::gather:
        case Collective::gatherv:
        case Collective::reduce: return LW_OTF2_ROLE_ALL_TO_ONE;
        case Collective::scan:
        case Collective::exscan: return LW_OTF2_ROLE_COLLECTIVE;
        default: return LW_OTF2_ROLE_ALL_TO_ALL;
    }
    const auto begins = [&](std::string_view with) { return name.starts_with(with); };
    if (begins("MPI_File_")) return LW_OTF2_ROLE_FILE;
    if (begins("MPI_Win_") || begins("MPI_Put") || begins("MPI_Get_accumulate") || name == "MPI_Get" ||
        begins("MPI_Accumulate") || begins("MPI_Fetch") || begins("MPI_Compare_and") || begins("MPI_Rput") ||
        begins("MPI_Rget") || begins("MPI_Raccumulate"))
        return LW_OTF2_ROLE_RMA;
    if (name.find("send") != std::string_view::npos || name.find("recv") != std::string_view::npos ||
        name.find("Send") != std::string_view::npos || name.find("Recv") != std::string_view::npos ||
        begins("MPI_Wait") || begins("MPI_Test") || begins("MPI_Start") || begins("MPI_Probe") ||
        begins("MPI_Iprobe"))
        return LW_OTF2_ROLE_POINT_TO_POINT;
    if (begins("MPI_Comm_")) return LW_OTF2_ROLE_COLLECTIVE;
    return LW_OTF2_ROLE_FUNCTION;
}

void define_attributes(const Otf2Run& run) {
    if (!run.options.attributes) return;
    const lw_otf2_interface& library = run.library;
    otf2_check(library.attribute(run.writer, otf2_cpu_attribute, std::string(otf2_cpu_name).c_str(),
                                 "CPU time between the previous MPI call and this one, in nanoseconds"),
               definitions);
    for (std::uint32_t word = 0; word < run.most_words; ++word)
        otf2_check(library.attribute(run.writer, otf2_first_word_attribute + word,
                                     (std::string(otf2_word_name) + std::to_string(word)).c_str(),
                                     "What OTF2 has no place for, for linkworth to read back"),
                   definitions);
}

void define_regions(const Otf2Run& run) {
    const lw_otf2_region program{program_region, run.options.program.c_str(), 0, LW_OTF2_ROLE_FUNCTION};
    otf2_check(run.library.region(run.writer, &program), definitions);
    std::map<std::uint32_t, const std::string*> names;
    for (std::size_t name = 0; name < run.regions.size(); ++name)
        if (run.regions[name] != LW_OTF2_UNDEFINED) names[run.regions[name]] = &run.trace.names()[name];
    for (const auto& [ref, name] : names) {
        const lw_otf2_region region{ref, name->c_str(), 1, role_of(*name)};
        otf2_check(run.library.region(run.writer, &region), definitions);
    }
}

void define_processes(const Otf2Run& run) {
    const lw_otf2_interface& library = run.library;
    otf2_check(library.host(run.writer, 0, "machine"), definitions);
    std::map<std::string, std::uint32_t> hosts;
    const auto host_of = [&](std::uint32_t rank) {
        const auto& names = run.options.hosts;
        const std::string name = rank < names.size() && !names[rank].empty() ? names[rank] : "node";
        const auto [entry, added] = hosts.try_emplace(name, static_cast<std::uint32_t>(hosts.size()) + 1);
        if (added) otf2_check(library.host(run.writer, entry->second, name.c_str()), definitions);
        return entry->second;
    };
    std::vector<std::uint32_t> host(run.trace.ranks());
    for (std::uint32_t rank = 0; rank < run.trace.ranks(); ++rank) host[rank] = host_of(rank);
    for (std::uint32_t rank = 0; rank < run.trace.ranks(); ++rank) {
        const std::string name = "MPI Rank " + std::to_string(rank);
        otf2_check(library.process(run.writer, rank, name.c_str(), host[rank]), definitions);
    }
    for (const Otf2ThreadEvents& each : run.locations) {
        const std::string name = each.thread == 0 ? "Master thread" : "Thread " + std::to_string(each.thread);
        const lw_otf2_location location{otf2_location(each.rank, each.thread), name.c_str(), each.rank,
                                        each.events};
        otf2_check(library.location(run.writer, &location), definitions);
    }
}

void write(Otf2Run& run) {
    if (run.options.attributes)
        otf2_check(run.library.property(run.writer, otf2_metadata_property,
                                        std::string(run.trace.metadata_json()).c_str()),
                   "the metadata");
    for (std::uint32_t rank = 0; rank < run.trace.ranks(); ++rank) Otf2RankWriter(run, rank).convert();
    otf2_check(run.library.program(run.writer, program_string, run.options.program.c_str()), definitions);
    otf2_check(run.library.clock(run.writer, 1'000'000'000, run.end_ns, run.options.date_ns), definitions);
    define_attributes(run);
    define_regions(run);
    define_processes(run);
    run.communicators.write(run.library, run.writer);
}

}  // namespace

Otf2Written write_otf2(const tracefile::Trace& trace, const Otf2Options& options) {
    const lw_otf2_interface& library = otf2_library(options.library);
    lw_otf2_writer* writer = nullptr;
    otf2_check(library.create(&writer, options.folder.c_str(), options.name.c_str(), chunk_bytes,
                              options.creator.c_str(), options.description.c_str()),
               "the archive cannot be made");
    Otf2Run run{.trace = trace,
                .options = options,
                .library = library,
                .writer = writer,
                .communicators = Otf2Communicators(trace.ranks()),
                .regions = std::vector<std::uint32_t>(trace.names().size(), LW_OTF2_UNDEFINED),
                .locations = {},
                .written = {}};
    try {
        write(run);
    } catch (const std::logic_error& impossible) {
        library.finish(writer);
        throw impossible_call(impossible);
    } catch (...) {
        library.finish(writer);
        throw;
    }
    otf2_check(library.finish(writer), "the archive cannot be written");
    return run.written;
}

}  // namespace linkworth::convert
