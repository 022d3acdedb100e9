// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "lifecycle.h"

#include "bindings.h"
#include "communicator.h"
#include "profile.h"
#include "report.h"
#include "session.h"
#include "site.h"
#include "wrapper.h"
#include "yield.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pid_t recorded_process;
// MPI_Init counts as one, and so does each session: the recording ends with the last.
static uint32_t open_beginnings;
// The call of MPI_Finalize that ends the recording is under way, whatever it returns.
static bool ending;

__attribute__((constructor)) static void note_start(void) {
    if (getenv("LINKWORTH_TRACE_DIR")) lw_clock_note_start();
}

// The child shares the mapping with its parent: it must not write there.
static void stop_in_child(void) {
    lw_tracing = lw_active = lw_fast = false;
    lw_choose_ways(LW_PLAIN);
}

static bool asked_for(const char* variable) {
    const char* value = getenv(variable);
    return value && strcmp(value, "1") == 0;
}

// MPICH and Intel MPI keep a core while they wait, even if the ranks share it. If ranks on any node do, all
// yield: the non-blocking form of a collective does not match the blocking one.
static bool any_share_cores(void) {
    long ranks = lw_ranks_by_hydra();
    if (!ranks || !getenv("LINKWORTH_TRACE_DIR") || getenv("LINKWORTH_YIELD")) return false;
    return lw_yield_any(ranks > sysconf(_SC_NPROCESSORS_ONLN));
}

static bool begin_part(void) {
    const char* folder = getenv("LINKWORTH_TRACE_DIR");
    if (!folder || !*folder) return false;
    lw_clock_choose();
    lw_recorder.profiling = asked_for("LINKWORTH_PROFILE");
    if (!lw_recorder_begin(asked_for("LINKWORTH_CROWDED"))) {
        fprintf(stderr, "linkworth: process %d: no memory to record with; this rank is not recorded\n",
                (int)getpid());
        return false;
    }
    const char* suffix = lw_recorder.profiling ? "profile" : "part";
    if (!lw_part_create(folder, suffix, lw_names, lw_names_bytes)) return false;
    if (lw_recorder.profiling)
        lw_profile_begin(lw_part.header);
    else
        lw_sites_begin(lw_part.header);
    lw_bindings_begin();
    // The first block is opened ahead of the first event: mapping it takes longer than a call.
    return lw_thread_attach(lw_clock_start().ticks) != NULL;
}

bool lw_may_begin(void) { return !recorded_process; }

void lw_note_restart(void) {
    static bool noted;
    if (noted || recorded_process != getpid() || lw_part.header) return;
    noted = true;
    const char* suffix = lw_recorder.profiling ? "profile" : "part";
    if (!lw_part_create(getenv("LINKWORTH_TRACE_DIR"), suffix, lw_names, lw_names_bytes)) return;
    if (lw_recorder.profiling) lw_profile_begin(lw_part.header);
    lw_part.header->flags |= LW_PART_RESTARTED;
    lw_part_close();
}

void lw_before_init(struct lw_call* call, uint32_t name) {
    if (lw_tracing) {  // since a session began
        lw_enter(call, name, NULL, NULL, 0);
        return;
    }
    lw_resolve_all();
    if (!lw_library_matches()) {
        // Its handles are of another size and kind, which the wrappers would cut: the program cannot
        // continue.
        lw_report_ranks(0);
        fprintf(stderr,
                "linkworth: process %d: the MPI library is not the one that this tracer was built for\n",
                (int)getpid());
        _exit(EXIT_FAILURE);
    }
    if (recorded_process) lw_note_restart();
    bool tracing = !recorded_process && !lw_part.header && begin_part();
    lw_yielding = asked_for("LINKWORTH_YIELD");
    lw_tracing = tracing;
    lw_enter(call, name, NULL, NULL, 0);
    // Calls that the library makes during its initialisation are not recorded, because lw_own.inside is set.
}

static void describe(struct lw_part_header* header, const struct lw_world* world) {
    header->rank = world->rank;
    header->size = world->size;
    char version[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0;
    lw_mpi.get_library_version(version, &length);
    version[strcspn(version, "\r\n")] = 0;
    snprintf(header->library, sizeof header->library, "%.*s", (int)sizeof header->library - 1, version);
}

// Returns the level in the format's numbering, because the standard ABI's constants are not 0 to 3.
static uint64_t thread_level(void) {
    int level = MPI_THREAD_SINGLE;
    lw_mpi.query_thread(&level);
    return (uint64_t)(level >= MPI_THREAD_FUNNELED) + (level >= MPI_THREAD_SERIALIZED) +
           (level >= MPI_THREAD_MULTIPLE);
}

static struct lw_world world_of_init(void) {
    struct lw_world world = {.thread_level = thread_level()};
    lw_mpi.comm_rank(lw_mpi.world, &world.rank);
    lw_mpi.comm_size(lw_mpi.world, &world.size);
    lw_mpi.comm_group(lw_mpi.world, &world.group);
    return world;
}

static void close_block(struct lw_thread* thread) { lw_part_close_block(&thread->stream); }

// Other threads may be on their way out of a last call, so their mappings stay.
static void close_streams(void) {
    if (lw_recorder.profiling) return;
    lw_threads_each(close_block);
    if (lw_own.self) lw_part_close_stream(&lw_own.self->stream);
}

void lw_after_init(struct lw_call* call, bool succeeded) {
    if (recorded_process) {
        lw_after_another_begin(call, succeeded);
        return;
    }
    if (succeeded && any_share_cores()) lw_yielding = true;
    lw_after_begin(call, succeeded, succeeded ? world_of_init() : (struct lw_world){.rank = -1});
}

void lw_after_another_begin(struct lw_call* call, bool succeeded) {
    lw_exit(call, succeeded);
    lw_lock();
    open_beginnings += succeeded;
    if (call->recording) lw_write_local(call);
    lw_unlock();
}

// The program may be linked with a tool that defines MPI_Init and calls PMPI_Init. It stands behind this
// library, which calls the MPI library.
static void warn_of_tool_behind(void) {
    static const char* const often_wrapped[] = {"MPI_Init", "MPI_Init_thread", "MPI_Send", "MPI_Finalize"};
    Dl_info library, tool;
    void* rarely_wrapped = dlsym(RTLD_NEXT, "MPI_Get_version");
    if (!rarely_wrapped || !dladdr(rarely_wrapped, &library)) return;
    for (size_t i = 0; i < sizeof often_wrapped / sizeof *often_wrapped; i++) {
        void* call = dlsym(RTLD_NEXT, often_wrapped[i]);
        if (!call || !dladdr(call, &tool) || tool.dli_fbase == library.dli_fbase) continue;
        fprintf(stderr,
                "linkworth: warning: %s also defines %s, and gets no calls in this run; "
                "set LD_PRELOAD to its path to keep it\n",
                tool.dli_fname, often_wrapped[i]);
        return;
    }
}

void lw_after_begin(struct lw_call* call, bool succeeded, struct lw_world world) {
    lw_exit(call, succeeded);
    open_beginnings = succeeded;
    lw_active = succeeded && (lw_tracing || lw_yielding);
    lw_world_group = world.group;
    if (succeeded && world.rank == 0) {
        lw_report_ranks(world.size);
        warn_of_tool_behind();
    }
    if (!lw_tracing) return;
    if (!succeeded) {
        lw_tracing = false;
        close_streams();
        lw_part_close();
        return;
    }
    recorded_process = getpid();
    pthread_atfork(NULL, NULL, stop_in_child);
    describe(lw_part.header, &world);
    lw_part_note_cores();  // again, since some libraries bind their ranks in MPI_Init
    lw_comms_begin(&world);
    lw_recorder.locked = world.thread_level == 3;
    lw_fast = !lw_yielding && lw_clock.counter && !lw_recorder.locked && !lw_recorder.crowded;
    if (lw_fast) lw_choose_ways(lw_recorder.profiling ? LW_PROFILED : LW_TRACED);
    uint8_t* at = lw_payload_begin(call, LW_INIT, LW_VARINT_MOST_BYTES);
    lw_write(call, at ? lw_put(at, world.thread_level) : NULL);
    lw_part_synchronise();
    __atomic_or_fetch(&lw_part.header->flags, LW_PART_INITIALISED, __ATOMIC_RELEASE);
}

// Counts all but what the rank does inside MPI_Finalize, if that has not returned.
static void note_end(uint64_t helpers_ms) {
    lw_part_synchronise();
    lw_part.header->cpu = lw_clock_read(CLOCK_PROCESS_CPUTIME_ID);
    lw_part.header->helpers_ms = helpers_ms < UINT32_MAX ? (uint32_t)helpers_ms : UINT32_MAX;
    __atomic_or_fetch(&lw_part.header->flags, LW_PART_FINALISED, __ATOMIC_RELEASE);
}

static uint64_t milliseconds_of_helpers(void) { return lw_processor_time_of_helpers() / 1000000; }

// A library may crash in MPI_Finalize, return an error from it, or be killed there by its launcher because
// another rank did. The program has made its last call by then.
void lw_before_finalize(struct lw_call* call) {
    if (lw_tracing && call->recording && open_beginnings == 1) {
        uint64_t helpers_ms = milliseconds_of_helpers();
        lw_lock();
        lw_write_ahead(call, lw_payload_begin(call, LW_FINALIZE, 0));
        note_end(helpers_ms);
        lw_unlock();
        ending = true;
    }
    if (asked_for("LINKWORTH_SETTLE"))
        lw_yield_settle();
    else if (lw_yielding)
        lw_yield_barrier(lw_mpi.world);
}

static bool ends_last(struct lw_call* call) {
    lw_lock();
    bool last = (call->succeeded || ending) && !--open_beginnings;
    if (!last && call->recording) lw_write_local(call);
    lw_unlock();
    return last;
}

void lw_after_finalize(struct lw_call* call) {
    if (!ends_last(call)) return;
    lw_active = lw_fast = false;
    lw_choose_ways(LW_PLAIN);
    if (!lw_part.header) return;
    // Before the lock, which a thread that begins takes while it keeps the list of threads to itself.
    uint64_t helpers_ms = milliseconds_of_helpers();
    lw_threads_close();
    lw_lock();
    if (!lw_write_end(call)) lw_write(call, lw_payload_begin(call, LW_FINALIZE, 0));
    lw_tracing = false;
    note_end(helpers_ms);
    close_streams();
    lw_part_close();
    lw_unlock();
}

void lw_before_abort(struct lw_call* call, int code) {
    if (!call->recording && !lw_recorder.full) return;
    lw_exit(call, true);
    lw_lock();
    uint8_t* at = lw_payload_begin(call, LW_ABORT, LW_VARINT_MOST_BYTES);
    lw_write(call, at ? lw_put_signed(at, code) : NULL);
    lw_part_synchronise();
    lw_part.header->flags |= LW_PART_ABORTED;
    lw_unlock();
}

void lw_record_pcontrol(struct lw_call* call, int level) {
    lw_lock();
    uint8_t* at = lw_payload_begin(call, LW_PCONTROL, LW_VARINT_MOST_BYTES);
    lw_write(call, at ? lw_put_signed(at, level) : NULL);
    lw_unlock();
}

// The program ended without MPI_Finalize: notes the clocks, and the part is marked as cut. Nothing is
// unmapped, because other threads may still run.
__attribute__((destructor)) static void note_exit(void) {
    if (lw_part.header && getpid() == recorded_process) lw_part_synchronise();
}
