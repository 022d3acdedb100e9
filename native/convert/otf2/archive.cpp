// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/archive.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>
#include <utility>

#include "convert/convert_error.hpp"
#include "convert/otf2/calls.hpp"

namespace linkworth::convert {
namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;
/// Some 285 years, which 63 bits of nanoseconds can count.
constexpr std::uint64_t longest_seconds = 9'000'000'000;

bool is_mpi(std::string_view name) { return name.starts_with("MPI_") || name.starts_with("PMPI_"); }

}  // namespace

/// Collects the definitions from the library. They are interpreted when all have come.
struct Otf2Archive::Listener {
    struct Group {
        std::uint32_t kind;
        std::vector<std::uint64_t> members;
    };
    struct Location {
        std::uint64_t ref;
        std::uint32_t process;
    };

    explicit Listener(Otf2Archive& given) : to(given) {}

    lw_otf2_definitions functions() {
        lw_otf2_definitions all{};
        all.user = this;
        all.clock = [](void* user, std::uint64_t ticks, std::uint64_t offset, std::uint64_t length,
                       std::uint64_t) {
            Otf2Archive& given = self(user).to;
            given.ticks_per_second = std::max<std::uint64_t>(1, ticks);
            given.offset = offset;
            given.length = length;
        };
        all.string = [](void* user, std::uint32_t ref, const char* text) {
            self(user).strings.try_emplace(ref, text);
        };
        all.text = [](void* user, std::uint32_t ref) {
            const auto found = self(user).strings.find(ref);
            return found == self(user).strings.end() ? "" : found->second.c_str();
        };
        all.host = [](void* user, std::uint32_t ref, const char* name) {
            self(user).hosts.try_emplace(ref, name);
        };
        all.attribute = [](void* user, std::uint32_t ref, const char* name) {
            self(user).attribute(ref, name);
        };
        all.region = [](void* user, const lw_otf2_region* region) {
            std::string name = canonical_name(region->name);
            const bool mpi = is_mpi(name);
            self(user).to.regions.insert_or_assign(region->ref, Otf2Region{std::move(name), mpi});
        };
        all.process = [](void* user, std::uint32_t ref, std::uint32_t host) {
            self(user).process_order.push_back(ref);
            self(user).host_of_process.insert_or_assign(ref, host);
        };
        all.location = [](void* user, const lw_otf2_location* location) {
            self(user).locations.push_back({location->ref, location->group});
            self(user).to.events.insert_or_assign(location->ref, location->events);
        };
        all.group = [](void* user, std::uint32_t ref, std::uint32_t kind, std::uint32_t size,
                       const std::uint64_t* members) {
            Listener& listener = self(user);
            Group group{kind, {members, members + size}};
            // EZTrace uses the same number for the group of all locations and that of all ranks.
            if (kind == LW_OTF2_GROUP_LOCATIONS)
                listener.world = std::move(group.members);
            else
                listener.groups.insert_or_assign(ref, std::move(group));
        };
        all.comm = [](void* user, const lw_otf2_comm* comm) { self(user).comms.push_back(*comm); };
        return all;
    }

    void attribute(std::uint32_t ref, std::string_view name) {
        if (name == otf2_cpu_name) to.cpu_attribute = ref;
        if (!name.starts_with(otf2_word_name)) return;
        name.remove_prefix(otf2_word_name.size());
        std::uint32_t word = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), word).ec == std::errc{})
            to.words.insert_or_assign(ref, word);
    }

    void resolve() {
        std::map<std::uint32_t, std::vector<std::uint64_t>> of_process;
        std::unordered_map<std::uint64_t, std::uint32_t> process_of;
        for (const Location& location : locations) {
            of_process[location.process].push_back(location.ref);
            process_of[location.ref] = location.process;
        }
        std::vector<std::uint32_t> processes;
        for (const std::uint64_t location : world) {
            const auto found = process_of.find(location);
            if (found == process_of.end()) continue;
            processes.push_back(found->second);
            std::vector<std::uint64_t>& all = of_process[found->second];
            const auto at = std::find(all.begin(), all.end(), location);
            std::rotate(all.begin(), at, at + 1);
        }
        // In an archive without MPI's groups, its processes can be ranks.
        if (processes.empty()) processes = process_order;
        if (processes.empty())
            throw ConvertError("the archive names no MPI rank and no process: it cannot be converted");
        for (const std::uint32_t process : processes)
            to.ranks.push_back({hosts[host_of_process[process]], of_process[process]});
        for (const lw_otf2_comm& comm : comms) resolve(comm);
    }

    void resolve(const lw_otf2_comm& comm) {
        Otf2Comm made;
        made.has_events = comm.has_events != 0;
        made.parent = comm.parent;
        const auto group = groups.find(comm.group);
        if (group == groups.end() || !is_known(group->second)) return;
        made.members = members(group->second);
        made.inter = comm.remote_group != LW_OTF2_UNDEFINED;
        if (made.inter) {
            const auto remote = groups.find(comm.remote_group);
            if (remote == groups.end() || !is_known(remote->second)) return;
            made.remote = members(remote->second);
        }
        std::vector<std::int32_t> all(to.ranks.size());
        std::iota(all.begin(), all.end(), 0);
        const bool first_of_all = made.members == all && !made.inter && !made.has_events && !has_world;
        if (first_of_all) {
            made.kind = Otf2Comm::Kind::world;
            has_world = true;
        } else if (group->second.kind == LW_OTF2_GROUP_SELF ||
                   (made.members.size() == 1 && !made.inter && !made.has_events)) {
            made.kind = Otf2Comm::Kind::self;
        }
        to.comms.insert_or_assign(comm.ref, std::move(made));
    }

    /// Returns whether all members are ranks. A communicator with others is damaged, and none if nothing uses
    /// it.
    bool is_known(const Group& group) const {
        return std::ranges::all_of(group.members,
                                   [&](std::uint64_t member) { return member < to.ranks.size(); });
    }
    static std::vector<std::int32_t> members(const Group& group) {
        return {group.members.begin(), group.members.end()};
    }

    static Listener& self(void* user) { return *static_cast<Listener*>(user); }

    Otf2Archive& to;
    std::vector<std::uint32_t> process_order;
    std::unordered_map<std::uint32_t, std::string> strings;
    std::map<std::uint32_t, std::string> hosts;
    std::map<std::uint32_t, std::uint32_t> host_of_process;
    std::vector<Location> locations;
    std::vector<std::uint64_t> world;
    std::map<std::uint32_t, Group> groups;
    std::vector<lw_otf2_comm> comms;
    bool has_world = false;
};

Otf2Archive::Otf2Archive(const std::string& library_path, const std::string& anchor)
    : library(otf2_library(library_path)), reader(nullptr, Otf2Close{&library}) {
    Listener listener(*this);
    const lw_otf2_definitions functions = listener.functions();
    lw_otf2_reader* opened = nullptr;
    otf2_check(library.open(&opened, anchor.c_str(), &functions),
               "it is no OTF2 archive that can be read, or it is damaged");
    reader.reset(opened);
    creator = library.creator(opened);
    own = creator.starts_with("linkworth");
    totals = unified = own || creator.starts_with("Score-P");
    listener.resolve();
}

std::vector<std::string> Otf2Archive::hosts() const {
    std::vector<std::string> names;
    for (const Otf2Process& process : ranks) names.push_back(process.host);
    return names;
}

double Otf2Archive::seconds() const {
    const double said = static_cast<double>(length) / static_cast<double>(ticks_per_second);
    return std::min(said, static_cast<double>(longest_seconds));
}

std::optional<std::string> Otf2Archive::metadata_json() const {
    const char* kept = library.get_property(reader.get(), otf2_metadata_property);
    if (!own || kept == nullptr) return std::nullopt;
    return kept;
}

std::uint64_t Otf2Archive::nanoseconds(std::uint64_t time) const {
    const std::uint64_t ticks = time < offset ? 0 : time - offset;
    if (ticks / ticks_per_second >= longest_seconds)
        throw ConvertError("an event comes more than " + std::to_string(longest_seconds) +
                           " seconds after the start; the archive is damaged");
    if (ticks_per_second == ns_per_second) return ticks;
    return ticks / ticks_per_second * ns_per_second +
           static_cast<std::uint64_t>(static_cast<long double>(ticks % ticks_per_second) * ns_per_second /
                                          static_cast<long double>(ticks_per_second) +
                                      0.5L);
}

Otf2Comm Otf2Archive::seen_by(const Otf2Comm& comm, std::int32_t rank) const {
    Otf2Comm seen = comm;
    if (seen.kind == Otf2Comm::Kind::self) seen.members = {rank};
    if (seen.inter && std::find(seen.members.begin(), seen.members.end(), rank) == seen.members.end())
        std::swap(seen.members, seen.remote);
    return seen;
}

}  // namespace linkworth::convert
