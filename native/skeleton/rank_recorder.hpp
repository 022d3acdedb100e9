// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "calls/event.hpp"
#include "skeleton/work.hpp"
#include "trace/writer.hpp"

namespace linkworth::skeleton {

/// The MPI procedures that a skeleton can call, by their index in the table of names.
enum class Call : std::uint8_t {
    init,
    finalize,
    pcontrol,
    comm_rank,
    comm_size,
    wall_time,
    barrier,
    broadcast,
    reduce,
    allreduce,
    alltoall,
    alltoallv,
    send,
    isend,
    recv,
    irecv,
    wait,
    wait_all,
    comm_split,
    comm_duplicate,
    gatherv,
};

inline constexpr std::array<std::string_view, 21> kCallNames{
    "MPI_Init",       "MPI_Finalize", "MPI_Pcontrol", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Wtime",
    "MPI_Barrier",    "MPI_Bcast",    "MPI_Reduce",   "MPI_Allreduce", "MPI_Alltoall",  "MPI_Alltoallv",
    "MPI_Send",       "MPI_Isend",    "MPI_Recv",     "MPI_Irecv",     "MPI_Wait",      "MPI_Waitall",
    "MPI_Comm_split", "MPI_Comm_dup", "MPI_Gatherv",
};

/// A request that a rank has made; `live` until it is completed.
struct Request {
    std::uint64_t number = 0;
    bool live = false;
};

/// Records the calls of one rank as the tracer records those of a real run, each after the computation that
/// was counted since the one before. Calls take no time: the replay determines their durations.
class RankRecorder {
  public:
    /// Adds the names to the trace's table; once, before the first rank.
    static void add_names(tracefile::TraceWriter& trace);

    /// `out` null: nothing is written, only the work is counted.
    RankRecorder(tracefile::RankWriter* out, int ranks, Work& work) : out_(out), ranks_(ranks), work_(work) {}

    int ranks() const { return ranks_; }
    /// A communicator's number, in the order of creation (0 is the world, 1 MPI_COMM_SELF).
    int new_communicator() { return next_communicator_++; }
    /// Computation recorded so far.
    double seconds() const { return seconds_; }

    /// A call that is recorded by name and time only.
    void local(Call call) { record_known(call, tracefile::CallClass::local, 0, 0, 0, 0); }
    /// Sends and receives that are over when they return.
    void message(Call call, tracefile::CallClass call_class, int communicator, int peer, int tag,
                 std::uint64_t bytes) {
        record_known(call, call_class, communicator, peer, tag, bytes);
    }
    Request start_message(Call call, tracefile::CallClass call_class, int communicator, int peer, int tag,
                          std::uint64_t bytes) {
        record_known(call, call_class, communicator, peer, tag, bytes);
        return {next_request_++, true};
    }
    void wait(Request& request);
    void wait_all(std::span<Request> requests);

    /// Any other call; `shape` without its name.
    void record(Call call, tracefile::Shape& shape);
    /// Shape for `record`, reused so that calls with lists allocate once. Its fields have their defaults.
    tracefile::Shape& fresh_shape();

    /// Begins (level above 0) and ends the timed region, and records the mark.
    void mark_region(int level);
    /// Work's counts inside the timed region, or of the whole rank if no region was marked.
    const std::vector<double>& counts() const { return marked_ ? in_region_ : work_.counts(); }

  private:
    /// A shape that the open block already contains, found without encoding it.
    struct Known {
        std::uint64_t bytes = 0;
        std::uint64_t peer_and_tag = 0;
        std::uint64_t kind = 0;
        std::uint32_t block = UINT32_MAX;
        std::uint32_t shape = 0;
    };
    static constexpr std::size_t kKnown = 256;

    void record_known(Call call, tracefile::CallClass call_class, int communicator, int peer, int tag,
                      std::uint64_t bytes) {
        const std::int64_t gap = take_gap();
        if (out_ == nullptr) return;
        const std::uint64_t peer_and_tag =
            (std::uint64_t{static_cast<std::uint32_t>(peer)} << 32) | static_cast<std::uint32_t>(tag);
        const std::uint64_t kind = (std::uint64_t{static_cast<std::uint32_t>(communicator)} << 16) |
                                   (static_cast<std::uint64_t>(call_class) << 8) |
                                   static_cast<std::uint64_t>(call);
        constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
        const std::uint64_t hash = (((bytes * odd) ^ peer_and_tag) * odd ^ kind) * odd;
        Known& known = known_[hash >> 56];
        if (known.block != out_->block() || known.bytes != bytes || known.peer_and_tag != peer_and_tag ||
            known.kind != kind) {
            known = {bytes, peer_and_tag, kind, out_->block(),
                     simple_shape(call, call_class, communicator, peer, tag, bytes)};
        }
        write(known.shape, tracefile::makes_request(call_class), gap);
    }
    void write(std::uint32_t shape, bool makes_request, std::int64_t gap) {
        out_->event(shape, makes_request, static_cast<std::uint64_t>(gap),
                    gap >= kLongGapNanoseconds ? gap : -1, 0);
    }
    std::int64_t take_gap() {
        const double seconds = work_.take_seconds();
        seconds_ += seconds;
        if (!(seconds < kLongestGapSeconds)) refuse(seconds);
        return static_cast<std::int64_t>(seconds * 1e9 + 0.5);
    }
    void complete(Call call, tracefile::CompleteMode mode, std::span<Request> requests);
    std::uint32_t simple_shape(Call call, tracefile::CallClass call_class, int communicator, int peer,
                               int tag, std::uint64_t bytes);
    [[noreturn]] static void refuse(double seconds);

    /// The tracer reads the CPU clock for gaps of this length and more (native/tracer/record.c).
    static constexpr std::int64_t kLongGapNanoseconds = 50'000;
    static constexpr double kLongestGapSeconds = 1e9;

    tracefile::RankWriter* out_;
    int ranks_;
    Work& work_;
    int next_communicator_ = 2;
    std::uint64_t next_request_ = 0;
    double seconds_ = 0.0;
    bool marked_ = false;
    std::vector<double> at_mark_, in_region_;
    tracefile::Shape shape_;
    std::array<Known, kKnown> known_{};
};

}  // namespace linkworth::skeleton
