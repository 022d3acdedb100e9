// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Events of a trace in the form that every reader gets (docs/reference/trace-format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace linkworth::tracefile {

/// Class byte of a shape's payload.
enum class CallClass : std::uint8_t {
    local = 0,
    send,
    isend,
    recv,
    irecv,
    sendrecv,
    send_init,
    recv_init,
    start,
    complete,
    request_free,
    probe,
    collective,
    icollective,
    collective_init,
    comm_new,
    icomm_new,
    comm_free,
    init,
    finalize,
    abort,
    pcontrol,
    request_cancel,
    win_new,
    win_free,
    rma,
    irma,
    win_sync,
    psend_init,
    precv_init,
    pready,
    pready_list,
    parrived,
    isendrecv,
};
inline constexpr CallClass last_class = CallClass::isendrecv;

constexpr bool is_collective(CallClass call_class) {
    return call_class == CallClass::collective || call_class == CallClass::icollective ||
           call_class == CallClass::collective_init;
}

/// Returns whether a call of this class makes a request whose message goes in partitions. Such messages only
/// meet each other.
constexpr bool is_partitioned(CallClass call_class) {
    return call_class == CallClass::psend_init || call_class == CallClass::precv_init;
}

/// Returns whether a call of this class makes a request that outlives its completion.
constexpr bool makes_persistent_request(CallClass call_class) {
    switch (call_class) {
        case CallClass::send_init:
        case CallClass::recv_init:
        case CallClass::collective_init:
        case CallClass::psend_init:
        case CallClass::precv_init: return true;
        default: return false;
    }
}

/// Returns whether a call of this class makes a request (and so advances the rank's numbering).
constexpr bool makes_request(CallClass call_class) {
    switch (call_class) {
        case CallClass::isend:
        case CallClass::irecv:
        case CallClass::icollective:
        case CallClass::icomm_new:
        case CallClass::irma:
        case CallClass::isendrecv: return true;
        default: return makes_persistent_request(call_class);
    }
}

/// Collective that a name means; `none` for every other call.
enum class Collective : std::uint8_t {
    none = 0,
    barrier,
    bcast,
    gather,
    gatherv,
    scatter,
    scatterv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    alltoallw,
    reduce,
    allreduce,
    reduce_scatter,
    reduce_scatter_block,
    scan,
    exscan,
    neighbor_allgather,
    neighbor_allgatherv,
    neighbor_alltoall,
    neighbor_alltoallv,
    neighbor_alltoallw,
};

enum class CompleteMode : std::uint8_t {
    wait = 0,
    waitall,
    waitany,
    waitsome,
    test,
    testall,
    testany,
    testsome
};

/// Kind of access to a window; `fetch` also stands for MPI_Get_accumulate and MPI_Compare_and_swap.
enum class RmaOperation : std::uint8_t { put = 0, get, accumulate, fetch };

/// The synchronisation calls of one-sided communication (MPI-4.1, 12.5).
enum class WindowSync : std::uint8_t {
    fence = 0,
    post,
    start,
    complete,
    wait,
    test,
    lock,
    lock_all,
    unlock,
    unlock_all,
    flush,
    flush_all,
    flush_local,
    flush_local_all,
    sync,
};

/// Cache line of the processors that we know; it affects only speed.
inline constexpr std::size_t cache_line_bytes = 64;

/// Prefetches the line of the cache that contains `place`. GCC does not count a prefetch as an effect, and
/// drops calls of functions that do nothing else. The empty statement counts as one.
inline void prefetch_line(const void* place) {
    __builtin_prefetch(place);
    asm volatile("");
}

inline constexpr std::int32_t any_source = -1;
inline constexpr std::int32_t any_tag = -1;
inline constexpr std::int32_t proc_null = -2;

constexpr bool is_wildcard(std::int32_t peer, std::int32_t tag) {
    return peer == any_source || tag == any_tag;
}

/// A request that a `complete` event finished: its reference, and the match of a wildcard receive.
struct Completion {
    std::uint64_t reference = 0;
    bool was_wildcard = false;
    std::int32_t peer = 0;
    std::int32_t tag = 0;
};

/// All of a call but its times. Fields that the class does not have keep their defaults. Fields that most
/// calls need come first, because with many ranks each line of the cache that a call touches is a line from
/// memory.
struct alignas(cache_line_bytes) Shape {
    std::uint32_t name = 0;
    CallClass call_class = CallClass::local;
    Collective collective = Collective::none;
    CompleteMode mode = CompleteMode::wait;
    RmaOperation operation = RmaOperation::put;
    WindowSync sync = WindowSync::fence;
    bool found = false;  ///< a probe, MPI_Win_test or MPI_Parrived that returned true; an exclusive lock
    bool inter = false;
    bool has_topology = false;  ///< of a comm_new: it has neighbours, if only none
    std::int32_t comm = 0;
    std::int32_t peer = 0;  ///< destination, source, root, or target of a one-sided call (-1: all)
    std::int32_t tag = 0;
    std::int32_t recv_peer = 0;  ///< source of a sendrecv
    std::int32_t recv_tag = 0;
    std::uint64_t bytes =
        0;  ///< sent (receive capacity for a receive); of one partition; exposed by a window
    std::vector<Completion> completions;
    std::uint64_t recv_bytes = 0;
    std::uint32_t entry = 0;       ///< in the table of names: `name`, or that name at one call site
    std::int32_t actual_peer = 0;  ///< match of a wildcard
    std::int32_t actual_tag = 0;
    std::int32_t new_comm = -1;  ///< -1 for MPI_COMM_NULL
    std::int32_t window = 0;
    std::int32_t new_window = -1;  ///< -1 for none
    std::int32_t code = 0;         ///< abort code, pcontrol or thread level
    std::uint32_t listed = 0;
    std::uint32_t element_bytes = 1;
    std::uint32_t partitions = 0;
    std::uint32_t first_partition = 0;
    std::uint32_t last_partition = 0;
    std::vector<std::uint64_t> send_counts;     ///< bytes by peer
    std::vector<std::uint64_t> recv_counts;     ///< bytes by peer
    std::vector<std::uint64_t> references;      ///< start, request_free, request_cancel, pready, parrived
    std::vector<std::uint32_t> partition_list;  ///< of a pready_list
    std::vector<std::int32_t>
        members;  ///< world ranks in comm order; of a win_sync: ranks of the window's communicator
    std::vector<std::int32_t> remote_members;
    std::vector<std::int32_t>
        sources;  ///< neighbours that a rank receives from, ranks of the new communicator
    std::vector<std::int32_t> destinations;  ///< neighbours that it sends to
};

/// Least computation between two polls that is worth the name. With less, the polls are a loop that waits.
inline constexpr double polling_gap_seconds = 10e-6;

/// Returns whether the call asks whether something is complete or there.
inline bool is_poll(const Shape& shape) {
    using enum CallClass;
    return shape.call_class == complete || shape.call_class == probe || shape.call_class == parrived ||
           (shape.call_class == win_sync && shape.sync == WindowSync::test);
}

/// Returns whether the call is a poll in vain, as programs that wait make many of.
inline bool found_nothing(const Shape& shape) {
    switch (shape.call_class) {
        case CallClass::complete: return shape.completions.empty();
        case CallClass::probe:
        case CallClass::parrived: return !shape.found;
        case CallClass::win_sync: return shape.sync == WindowSync::test && !shape.found;
        default: return false;
    }
}

// Codes of a call of class `init`.
inline constexpr std::int32_t thread_serialized = 2;
inline constexpr std::int32_t thread_multiple = 3;

/// Returns whether the call lets several threads of its rank call MPI at once.
inline bool lets_threads_call_at_once(const Shape& shape) {
    return shape.call_class == CallClass::init && shape.code >= thread_multiple;
}

/// One MPI call of one rank. `shape` stays valid until the cursor reads its next event.
struct Event {
    const Shape* shape = nullptr;
    std::uint32_t thread = 0;     ///< who called, 0 for the one that called MPI_Init
    double gap_seconds = 0;       ///< wall time since the previous call ended
    double cpu_seconds = -1;      ///< CPU time of the gap, negative if it was not read
    double duration_seconds = 0;  ///< wall time inside the call
    double overlap_seconds = 0;   ///< wall time inside the call before the rank's previous call ended
    std::uint64_t next_request =
        0;  ///< number of the next request to be made, before this event makes its own
};

}  // namespace linkworth::tracefile
