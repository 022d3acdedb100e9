// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The scan of one rank, some events at a time: the part that needs its communicators and requests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "calls/communicators.hpp"
#include "calls/request_table.hpp"
#include "profile/loop_walk.hpp"
#include "profile/scan.hpp"
#include "trace/withdrawn.hpp"

namespace linkworth::profile {

class RankScan {
  public:
    /// `communicators` and `rows` are shared by the ranks. `walk`: also receives the rank's calls, if not
    /// null.
    RankScan(const tracefile::Trace& trace, std::uint32_t rank, replay::Communicators& communicators,
             const replay::collectives::Rules& rules, Scan& scan, std::span<tracefile::EventRow> rows,
             LoopWalk* walk);

    /// Reads about so many events. Returns false at the rank's end.
    bool advance(std::uint64_t events);
    /// Recorded time that was reached, in seconds from the trace's origin.
    double now() const { return clock_.now(); }

  private:
    /// Sums of the rank's times so far, in seconds.
    struct Clock {
        double base = 0;
        double gaps = 0;    ///< between calls
        double inside = 0;  ///< in calls
        double compute = 0;
        double descheduled = 0;
        double polling_since = 0;   ///< start of the polls in vain that ended at `polling_until`
        double polling_until = -1;  ///< end of the last poll in vain

        double now() const { return base + gaps + inside; }
        /// Returns whether the gap before a poll is part of a loop that waits.
        bool is_polling(const tracefile::EventRow& row) const;
        void pass_gap(const tracefile::EventRow& row);
    };
    /// Times of a call, in seconds from the trace's origin.
    struct When {
        double posted = 0;  ///< its own start
        double start = 0;   ///< `posted`, or the end of another thread's call if that is later; of the
                            ///< last poll of a loop that waits, the start of its first
        double end = 0;
    };
    /// Treatment of an event of a shape. From `alone` on, all earlier events must be done first.
    enum class Step : std::uint8_t {
        count,
        send,
        receive,
        isend,
        irecv,
        complete,
        files,
        match,
        alone,
        resolve
    };
    /// Marks a partner that is not known, or MPI_PROC_NULL.
    static constexpr std::uint32_t no_rank = UINT32_MAX;
    /// A shape in the block that is being read: its meaning here, and the sums of its events. Fields that all
    /// events need come first, in one line of the cache.
    struct alignas(tracefile::cache_line_bytes) Use {
        Step step = Step::resolve;
        bool makes_request = false;
        tracefile::CallClass call_class = tracefile::CallClass::local;
        std::uint8_t protocol = 0;  ///< of a send
        bool is_poll = false;
        bool in_vain = false;  ///< a poll that found nothing
        std::int32_t tag = 0;  ///< of a blocking receive, as it matched
        std::uint32_t name = 0;
        std::uint32_t entry = 0;
        std::uint32_t to = no_rank;  ///< ranks of the world
        std::uint32_t from = no_rank;
        std::uint32_t context = 0;                ///< of its messages
        const tracefile::Shape* shape = nullptr;  ///< while its block is read
        std::uint64_t count = 0;
        double seconds = 0;
        double overlap = 0;  ///< inside these calls and those of other threads
        std::shared_ptr<const tracefile::Shape> collective;  ///< a call that several ranks make together
        replay::Membership member;                           ///< of the communicator of such a call
        std::uint64_t bytes_each = 0;
        std::uint64_t bytes_started = 0;  ///< of the persistent requests that it started
        Meetings* meetings = nullptr;
        std::uint32_t pieces = 1;  ///< messages of `bytes_each`: partitions
        tracefile::RmaOperation operation = tracefile::RmaOperation::put;
        std::uint64_t bytes_got = 0;  ///< of a one-sided access, from the target
        // The rest is for messages whose arguments are stored one by one.
        bool is_open = false;
        bool sends = false;
        Step step_alone = Step::match;  ///< with MPI_PROC_NULL
        Step step_with_partner = Step::match;
        std::uint8_t mode = 0;                               ///< of a send, if no size decides the protocol
        const replay::Communicator* communicator = nullptr;  ///< null if it is not known
        std::uint64_t bytes = 0;                             ///< of all of them
    };
    struct Persistent {
        tracefile::Shape shape;
        Use use;
    };

    void begin_block();
    void take(std::span<const tracefile::EventRow> rows);
    bool waited(Use& use, Clock& clock, const tracefile::EventRow& row);
    When counted(Use& use, Clock& clock, const tracefile::EventRow& row, std::size_t place, bool waits);
    void take_call(Use& use, const When& when);
    bool take_alone(std::span<const tracefile::EventRow> rows, std::size_t place);
    void note(const tracefile::EventRow& row, tracefile::CallClass call_class, double start, bool waits);
    void flush_block();
    void end();
    Use resolve(const tracefile::Shape& shape);
    Use resolve_open(const tracefile::Shape& shape);
    void take_arguments(Use& use, const tracefile::Arguments& arguments);
    Step step_of(const tracefile::Shape& shape, bool has_partner) const;
    static std::uint32_t world_rank(const replay::Communicator* communicator, std::int32_t peer) {
        const bool known = communicator != nullptr && communicator->has_peer(peer);
        return known ? communicator->world_rank(peer) : no_rank;
    }
    static std::uint32_t context_of(const replay::Communicator* communicator);
    /// Sides of a message whose call does not block.
    Half send_half(const Use& use, std::int32_t tag, double start) const {
        return {{rank_, use.to, use.context, tag}, start, start, use.name, Side::send, use.protocol, false};
    }
    Half receive_half(const Use& use, std::int32_t tag, double start) const {
        return {{use.from, rank_, use.context, tag}, start, start, use.name, Side::receive, 0, false};
    }
    /// Begins a non-blocking receive whose sender and tag are known, and returns its half.
    std::uint32_t receive(const Use& use, std::uint64_t request, std::int32_t tag, double start) {
        if (withdrawn_.next(request)) [[unlikely]]
            return scan_.waits.without_partner(0, start);
        const Half half = receive_half(use, tag, start);
        forget_probe_of(half.pairing);
        return scan_.waits.take(half);
    }
    /// Another receive than a blocking one takes this message.
    void forget_probe_of(const Pairing& message) {
        if (probed_.name != no_half && probed_.pairing == message) [[unlikely]]
            probed_ = {};
    }
    static Half blocking(Half half, double end) {
        half.end = end;
        half.blocks = true;
        return half;
    }
    const replay::Communicator* communicator(std::int32_t comm) const;
    void match(Use& use, const tracefile::Shape& shape, const When& when);
    void post(const Use& use, const tracefile::Shape& shape, std::uint64_t number, double start);
    void post_wildcard(const tracefile::Shape& shape, std::int32_t peer, std::int32_t tag,
                       std::uint64_t number, double start);
    void post_both(const Use& use, const tracefile::Shape& shape, std::uint64_t number, double start);
    void start_all(Use& use, const tracefile::Shape& shape, double start);
    void complete(const Use& use, const tracefile::Shape& shape, double start, double end);
    void complete_wildcard(const tracefile::Completion& done);
    void cancel(const tracefile::Shape& shape);
    void pass_init();
    void mark(bool opens);
    void count_traffic(const Use& use, std::uint64_t times);
    void count_access(const Use& use);
    void count_collective(const Use& use, std::uint64_t times);
    void define(Use& use, const tracefile::Shape& shape);
    void agree(Use& use, const tracefile::Shape& shape, const replay::Membership* member);
    void impossible_call(const char* what);
    void not_modelled(std::uint32_t name, std::uint64_t times);

    const tracefile::Trace& trace_;
    std::uint32_t rank_;
    std::span<tracefile::EventRow> rows_;  ///< memory for those that are read
    Scan& scan_;
    RankTimes& times_;
    LoopWalk* walk_;
    tracefile::RankCursor cursor_;
    replay::Communicators& communicators_;
    const replay::collectives::Rules& rules_;
    std::vector<Use> uses_;  ///< by number of the shape in the block
    std::uint64_t block_ = 0;
    std::uint64_t next_request_ = 0;  ///< number of the next request to be made
    Clock clock_;
    bool in_marked_region_ = false;
    double marked_from_ = 0;
    double marked_compute_from_ = 0;
    double marked_files_from_ = 0;
    replay::RequestTable requests_;  ///< of each its half
    tracefile::Withdrawn withdrawn_;
    std::vector<std::uint32_t> completed_;
    Probe probed_;  ///< the latest that found a message, until a receive takes it
    std::unordered_map<std::uint64_t, Persistent> persistent_;  ///< by request number
    std::unordered_map<std::int32_t, const replay::Communicator*> windows_;
    std::vector<std::pair<Meetings*, std::int32_t>> attended_;  ///< with the own rank there
};

}  // namespace linkworth::profile
