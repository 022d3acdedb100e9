// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Conversion of one rank's calls to the events of OTF2 locations, one for each of its threads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "convert/otf2/calls.hpp"
#include "convert/otf2/communicators.hpp"
#include "convert/otf2/library.hpp"
#include "convert/otf2/write.hpp"
#include "convert/timed_cursor.hpp"

namespace linkworth::convert {

/// Region around all of a rank's calls, and the string of its name.
inline constexpr std::uint32_t program_region = 0;
inline constexpr std::uint32_t program_string = 1;

/// Number of events in a thread's location.
struct Otf2ThreadEvents {
    std::uint32_t rank;
    std::uint32_t thread;
    std::uint64_t events;
};

/// State that all ranks share while one after the other is written.
struct Otf2Run {
    const tracefile::Trace& trace;
    const Otf2Options& options;
    const lw_otf2_interface& library;
    lw_otf2_writer* writer;
    Otf2Communicators communicators;
    std::vector<std::uint32_t> regions;  ///< by name; LW_OTF2_UNDEFINED for those that no call had yet
    std::uint32_t next_region = program_region + 1;
    std::uint32_t most_words = 0;
    std::uint64_t end_ns = 0;
    std::vector<Otf2ThreadEvents> locations;  ///< rank by rank, thread by thread
    Otf2Written written;
};

class Otf2RankWriter {
  public:
    Otf2RankWriter(Otf2Run& run, std::uint32_t rank)
        : run_(run), rank_(rank), cursor_(run.trace.cursor(rank)) {}
    void convert();

  private:
    /// Data that a request's completion will need.
    struct Request {
        tracefile::CallClass call_class{};
        std::uint32_t comm = LW_OTF2_UNDEFINED;
        std::int32_t peer = 0;
        std::int32_t tag = 0;
        std::uint64_t bytes = 0;
        std::uint32_t operation = 0;
        CollectiveSizes sizes;
        bool wildcard = false;
        bool persistent = false;
        bool silent = false;     ///< goes nowhere: OTF2 gets no record of it
        bool cancelled = false;  ///< since its latest start
        bool sends_too =
            false;  ///< of MPI_Isendrecv: its receive, whose send has a request of its own in OTF2
    };

    /// Directs what follows to this thread.
    void open(std::uint32_t thread);
    void close_all();
    void begin_rank(std::uint64_t time);
    void end_rank();
    void take(const TimedEvent& timed);
    void edge(lw_otf2_kind kind, std::uint32_t region, std::uint64_t time);
    void call(const tracefile::Event& event, std::uint64_t enter, std::uint64_t leave);
    /// Returns whether the records alone describe the call completely.
    bool records_express(const tracefile::Event& event) const;
    bool kept_otherwise(const tracefile::Shape& shape) const;
    bool records_completions(const tracefile::Event& event) const;
    void records(const tracefile::Event& event, std::uint64_t enter, std::uint64_t leave);
    void begin(std::uint64_t number, const Request& request, std::uint64_t time);
    void begin_both(std::uint64_t number, const tracefile::Shape& shape, std::uint64_t time);
    void complete(const tracefile::Event& event, std::uint64_t time);
    void complete(std::uint64_t number, const Request& request, const tracefile::Completion& completion,
                  std::uint64_t time);
    void forget(std::uint64_t number);
    void new_communicator(const tracefile::Shape& shape, std::uint64_t enter, std::uint64_t leave);
    Request request_of(const tracefile::Shape& shape) const;
    std::uint32_t region(std::uint32_t name);
    CollectivePlace place(std::int32_t comm) const;
    std::uint32_t comm(std::int32_t number) const { return run_.communicators.ref(rank_, number); }
    void message(lw_otf2_kind kind, std::uint64_t time, std::uint32_t comm, std::int32_t peer,
                 std::int32_t tag, std::uint64_t bytes, std::uint64_t request = 0);
    void collective(lw_otf2_kind kind, std::uint64_t time, const Request& request, std::uint64_t number = 0);
    void put(const lw_otf2_event& event);

    Otf2Run& run_;
    std::uint32_t rank_;
    TimedCursor cursor_;
    std::map<std::uint32_t, std::uint64_t> thread_ends_;  ///< by thread: when its latest call ended
    std::uint32_t thread_ = 0;                            ///< whose location is selected
    std::uint32_t latest_thread_ = 0;                     ///< of the latest call
    std::uint64_t begin_ = 0;
    std::uint64_t last_ = 0;  ///< when that ended
    std::unordered_map<std::uint64_t, Request> requests_;
    std::vector<std::uint64_t> words_;
    std::vector<std::uint32_t> attribute_refs_;
    std::vector<std::uint64_t> attribute_values_;
};

}  // namespace linkworth::convert
