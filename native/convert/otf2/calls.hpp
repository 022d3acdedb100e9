// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Translation of single MPI calls to OTF2 and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calls/event.hpp"

namespace linkworth::convert {

/// Attributes of an Enter record for data without a place in OTF2. One is the CPU time of the computation
/// before the call, in nanoseconds. The other is the call's own record of the trace
/// (docs/reference/trace-format.md, without its name) in words of eight bytes, the first of which starts with
/// its length in four bytes.
inline constexpr std::uint32_t otf2_cpu_attribute = 0;
inline constexpr std::string_view otf2_cpu_name = "LINKWORTH_CPU_NS";
inline constexpr std::uint32_t otf2_first_word_attribute = 1;
inline constexpr std::string_view otf2_word_name = "LINKWORTH_CALL_";

/// An archive of ours has its trace's metadata in this property.
inline constexpr const char* otf2_metadata_property = "LINKWORTH::METADATA";

/// Number of the location of a thread that calls MPI in an archive of ours: for thread 0 that of its rank, as
/// in Score-P.
constexpr std::uint64_t otf2_location(std::uint32_t rank, std::uint32_t thread) {
    return (std::uint64_t{thread} << 32U) | rank;
}

constexpr std::uint32_t thread_of_location(std::uint64_t location) {
    return static_cast<std::uint32_t>(location >> 32U);
}

void to_words(const tracefile::Shape& shape, std::vector<std::uint64_t>& words);
/// False for words that are no call.
bool from_words(const std::vector<std::uint64_t>& words, tracefile::Shape& shape);

/// `MPI_Send` for `mpi_send_`, `MPI_SEND` and `MPI_Send()`; other names as they are.
std::string canonical_name(std::string_view region);

/// Returns the class of a call of which an archive has only the name. Its message goes nowhere: to
/// MPI_PROC_NULL if other messages have records, or with a start that has one. A receive waits for what a
/// probe did.
tracefile::CallClass class_by_name_alone(std::string_view name, bool every_message_has_a_record);
/// Returns whether the name is one of MPI_Wait..., MPI_Test..., and sets `mode` to which.
bool complete_mode(std::string_view name, tracefile::CompleteMode& mode);

/// OTF2_CollectiveOp, whose values are part of the format (OTF2 3.0, OTF2_Events.h).
inline constexpr std::uint32_t otf2_create_handle = 17;
inline constexpr std::uint32_t otf2_destroy_handle = 18;
std::uint32_t otf2_operation(tracefile::Collective collective);
/// Returns whether OTF2 has an operation for it. Collectives of neighbourhoods have none.
bool has_operation(tracefile::Collective collective);
/// `none` for an operation that is no exchange of data.
tracefile::Collective collective_by_operation(std::uint32_t operation);

struct CollectiveSizes {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
};

/// A rank's place in an operation.
struct CollectivePlace {
    std::uint64_t peers = 1;  ///< ranks of the communicator; of the remote group of an inter-communicator
    std::uint64_t me = 0;
    bool inter = false;
};

/// Returns the sizes that Score-P writes: the bytes that go to and come from all ranks of the communicator,
/// oneself included (Score-P 8, SCOREP_Mpi_Coll.c, read 2026-11-22). Bcast, Scan, Exscan, Scatter, Scatterv
/// and Alltoallv are assumed to follow the same rule.
CollectiveSizes totals_of(const tracefile::Shape& shape, const CollectivePlace& place);
/// Sets bytes, recv_bytes, the likely size of what is reduced and, divided evenly, the counts by peer. With
/// `totals`, `sizes` are counted as in Score-P, else as in the call's own arguments. Returns whether it
/// divided counts.
bool set_sizes(tracefile::Shape& shape, const CollectiveSizes& sizes, const CollectivePlace& place,
               bool totals);
/// Returns whether Score-P's totals fit a call with MPI_IN_PLACE as well, which excludes the rank itself.
bool may_be_in_place(const tracefile::Shape& shape, const CollectiveSizes& sizes,
                     const CollectivePlace& place);

}  // namespace linkworth::convert
