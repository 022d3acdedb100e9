// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The threads of a rank that call MPI at once, and which of their calls waited for another thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace linkworth::replay {

/// Wait at a stop until another thread has come to a stop of its own.
struct ThreadWait {
    std::uint32_t place = 0;  ///< of the other thread in its rank's list
    std::size_t stop = 0;     ///< of the other thread
    /// Recorded seconds from there to the next call, less those that the waiting thread computed.
    double delay_seconds = 0;
};

/// A request that another thread made or used last.
struct TakenRequest {
    std::uint32_t place = 0;
    std::uint64_t number = 0;
};

/// A place between two calls of a thread: others wait for it, or it waits for others.
struct ThreadStop {
    std::uint64_t events = 0;  ///< of the thread, before it
    bool begins = false;       ///< the thread begins after it
    std::vector<ThreadWait> waits;
    std::vector<TakenRequest> taken;
};

struct ThreadStops {
    std::uint32_t thread = 0;  ///< its number in the trace
    std::vector<ThreadStop> stops;
};

bool has_threads(const tracefile::Trace& trace, std::uint32_t rank);

/// The known order of calls of different threads of a rank.
enum class ThreadOrder : std::uint8_t {
    single,    ///< no rank has more than one thread that calls
    open,      ///< some call began inside another's, or the thread that calls changed too rarely to tell
    of_calls,  ///< each call came after the one before it, but threads computed beside calls of others
    turns,     ///< neither, so that one sequence of all calls shows what the threads do
};
ThreadOrder order_of_threads(const tracefile::Trace& trace);

/// Returns a rank's threads, the one that called MPI_Init first. Empty if no other thread calls MPI.
///
/// The trace has no fork and no join outside MPI. A thread that begins waits for the last call that the first
/// thread had ended by then. So does a thread that was idle in a gap, if the first thread ended a call in
/// that gap. The first thread waits for the calls that others ended in a gap in which it was idle. After the
/// last call of another thread it waits for that call. What a call uses of another thread (a request, a
/// communicator, a window) it waits for, and one that it frees also for the others' calls that use it. So do
/// the start and the end of a partitioned message for the others' partitions. A collective call waits for the
/// one before it on its communicator. With an `order`, each call waits for the one before it. No wait
/// contradicts the recorded order.
std::vector<ThreadStops> find_threads(const tracefile::Trace& trace, std::uint32_t rank, ThreadOrder order);

}  // namespace linkworth::replay
