// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The events of one rank's OTF2 locations as the calls of a trace.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "convert/otf2/archive.hpp"
#include "convert/otf2/calls.hpp"
#include "convert/otf2/read.hpp"
#include "trace/writer.hpp"

namespace linkworth::convert {

class Otf2RankReader {
  public:
    Otf2RankReader(const Otf2Archive& definitions, tracefile::TraceWriter& writer, std::uint32_t rank,
                   Otf2Taken& taken);
    /// Reads all of the rank's events. Throws ConvertError.
    void read();

  private:
    static constexpr std::uint32_t no_thread = UINT32_MAX;

    /// A call that a location is in. Only the outermost MPI region is one.
    struct Call {
        std::uint32_t thread = no_thread;  ///< of the location, since its first call
        std::uint32_t depth = 0;
        std::uint64_t events = 0;  ///< of the location so far, of every kind
        std::uint32_t region = LW_OTF2_UNDEFINED;
        std::uint64_t enter_ns = 0;
        std::int64_t cpu_ns = -1;
        std::vector<std::uint64_t> words;
        std::vector<lw_otf2_event> records;
    };
    struct Times {
        std::uint64_t gap_ns = 0;
        std::int64_t cpu_ns = -1;
        std::uint64_t duration_ns = 0;
        std::uint64_t overlap_ns = 0;
    };
    /// Event that is not written yet, because an earlier call is not yet known.
    struct Waiting {
        tracefile::Shape shape;
        Times times;
        std::uint32_t thread;
        bool known;
    };
    struct Request {
        std::uint64_t number = 0;
        bool wildcard = false;
        bool persistent = false;
        std::uint64_t waiting = none;  ///< number of the waiting event; `none` if all is known
        static constexpr std::uint64_t none = UINT64_MAX;
    };
    using Requests = std::unordered_map<std::uint64_t, Request>;

    void take(std::uint64_t location, const lw_otf2_event& event);
    /// OTF2 skips bytes that it does not know, so damage is detected by the number of events that are left.
    void check_counts(const std::string& doing) const;
    /// In archives of others, threads have numbers in the order of their first calls.
    std::uint32_t number_thread(std::uint64_t location);
    void enter(Call& call, const lw_otf2_event& event);
    /// Converts it to calls of the trace; the first takes its time.
    void finish(Call& call, std::uint64_t leave_ns);
    void from_records(const Call& call, const std::string& name);
    bool from_call(const Call& call, const std::string& name);
    void from_collective(const lw_otf2_event& end, const Call& call, const std::string& name);
    void from_completions(const Call& call, const std::string& name);
    void from_name_alone(const std::string& name);
    Requests::iterator begin_late(const lw_otf2_event& end);
    void begin_waiting(tracefile::CallClass call_class, const std::string& name, std::uint64_t request);
    /// Fills in what the end of a request reveals about its beginning.
    void know(Request& request, const lw_otf2_event& end);
    void nothing_known(Request& request, bool cancelled = false);
    void forget(std::uint64_t id, bool cancelled = false);

    std::int32_t comm_number(std::uint32_t comm);
    tracefile::Shape new_communicator(std::uint32_t comm, std::int32_t parent);
    /// Puts the creation of a communicator before a call that waits and uses it.
    void define_before(std::uint64_t waiting, std::uint32_t comm);
    void define_all();
    const CollectivePlace& place(std::uint32_t comm);
    std::int32_t peer_of(std::uint32_t root, std::uint32_t comm);
    /// Throws ConvertError if the communicator has no such rank to exchange data with.
    void check_peer(std::uint32_t peer, std::uint32_t comm);
    tracefile::Shape message(tracefile::CallClass call_class, const lw_otf2_event& record);
    /// Sets what the record of a message has.
    void take_message(tracefile::Shape& shape, const lw_otf2_event& record);
    /// Sets what the record of a collective's end has: which one it is, its root and its sizes.
    void take_collective(tracefile::Shape& shape, tracefile::Collective collective, const lw_otf2_event& end);

    void emit(tracefile::Shape shape, std::string_view name, bool known = true);
    void write(const Waiting& waiting);
    void flush();

    const Otf2Archive& archive_;
    tracefile::TraceWriter& writer_;
    tracefile::RankWriter& to_;
    std::uint32_t rank_;
    Otf2Taken& taken_;
    std::unordered_map<std::uint64_t, Call> calls_;  ///< by location
    Requests requests_;                              ///< by OTF2's number
    std::unordered_map<std::uint32_t, std::int32_t> comms_;
    std::unordered_map<std::uint32_t, CollectivePlace> places_;
    std::int32_t next_comm_ = 2;
    std::uint64_t next_request_ = 0;
    std::deque<Waiting> waiting_;
    std::uint64_t written_ = 0;  ///< of those that waited: the number of the first in `waiting_`
    bool begun_ = false;
    bool defined_ = false;
    std::uint64_t clock_ns_ = 0;
    std::uint32_t next_thread_ = 1;
    std::uint32_t thread_ = 0;  ///< of the call that is being finished
    Times times_;               ///< of that call, until the first event has taken them
};

}  // namespace linkworth::convert
