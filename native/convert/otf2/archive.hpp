// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// An OTF2 archive that is open, and its definitions as MPI means them: ranks, communicators, calls.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "convert/otf2/library.hpp"

namespace linkworth::convert {

struct Otf2Region {
    std::string name;  ///< as the MPI standard writes it
    bool mpi = false;
};

/// A communicator, in world ranks.
struct Otf2Comm {
    enum class Kind { world, self, other } kind = Kind::other;
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> remote;
    bool inter = false;
    bool has_events = false;
    std::uint32_t parent = LW_OTF2_UNDEFINED;
};

struct Otf2Process {
    std::string host;
    std::vector<std::uint64_t> locations;  ///< first the one that is the rank in MPI's groups
};

/// Closes a reader of the library.
struct Otf2Close {
    const lw_otf2_interface* library;
    void operator()(lw_otf2_reader* reader) const { library->close(reader); }
};

struct Otf2Archive {
    /// Throws ConvertError for an archive that cannot be read or has no ranks.
    Otf2Archive(const std::string& library_path, const std::string& anchor);

    /// Host of each rank.
    std::vector<std::string> hosts() const;
    /// Duration of the whole run.
    double seconds() const;
    /// Metadata that linkworth kept of the trace that it wrote; nothing for archives of others.
    std::optional<std::string> metadata_json() const;
    /// Nanoseconds from the start of the trace.
    std::uint64_t nanoseconds(std::uint64_t time) const;
    /// The communicator from the view of a rank: in an inter-communicator, its own group comes first.
    Otf2Comm seen_by(const Otf2Comm& comm, std::int32_t rank) const;

    const lw_otf2_interface& library;
    std::unique_ptr<lw_otf2_reader, Otf2Close> reader;
    std::string creator;
    std::uint64_t ticks_per_second = 1;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    bool own = false;      ///< linkworth wrote it
    bool totals = false;   ///< collectives count the bytes to and from all ranks
    bool unified = false;  ///< a communicator has one number, whichever rank names it
    std::unordered_map<std::uint32_t, Otf2Region> regions;
    std::unordered_map<std::uint32_t, std::uint32_t> words;  ///< by attribute: which word of a call
    std::uint32_t cpu_attribute = LW_OTF2_UNDEFINED;
    std::map<std::uint32_t, Otf2Comm> comms;
    std::vector<Otf2Process> ranks;
    std::unordered_map<std::uint64_t, std::uint64_t>
        events;  ///< by location: number according to the archive

  private:
    struct Listener;
};

}  // namespace linkworth::convert
