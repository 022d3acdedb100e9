// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "processor_time.h"

#include "thread.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// The clock is read if a long gap is likely, and otherwise within a budget of 0.2 % of the elapsed time,
// saved up for at most 16 readings so that they do not come in a burst. If ranks share cores, the wall time
// of a gap means little: then it is read at every gap, but not again within 4 us. A program with millions of
// short calls such as MPI_Pack would otherwise be many times slower.
static const double long_gap_seconds = 50e-6;
static const double long_gap_seconds_crowded = 5e-6;
static const double budget_interval_seconds = 400e-9 / 0.002;
static const double interval_seconds_crowded = 4e-6;
enum { SAVED_READINGS = 16, TRIAL_READINGS = 32 };

static uint64_t budget_interval;
static double nanoseconds_per_tick;
static uint64_t reading_cpu;  // CPU time between two readings in a row, ns
static uint64_t cores;
// The process's CPU time in gaps of which it was read, ns. The caller's own time before its first call is
// left out: that of loading a program may exceed all that its threads compute.
static _Atomic uint64_t of_gaps;

// Helpers are threads that call no MPI. While one thread does, at most 0.1 % of the time goes into looking at
// them.
static bool helped = true;           // they had CPU time lately
static double longest_share = 1;     // of theirs, what the one with most of it had
static uint64_t next_look;           // ticks
static uint64_t of_helpers, of_all;  // CPU time of theirs and of the process at the latest look, ns
static uint64_t ranks_here = 1, cores_here = 1;
enum { LOOK_BUDGET = 1000, LEAST_HELP = 20 };  // 1/1000 and 1/20 of a time

// Takes the least of some trials: the cost of the clock itself, without interruptions.
static void weigh_reading(void) {
    reading_cpu = UINT64_MAX;
    for (int trial = 0; trial < TRIAL_READINGS; trial++) {
        uint64_t cpu = lw_clock_read(CLOCK_PROCESS_CPUTIME_ID);
        cpu = lw_clock_read(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        if (cpu < reading_cpu) reading_cpu = cpu;
    }
}

static uint64_t ranks_on_this_node(void) {
    long ranks = lw_ranks_by_hydra();
    const char* by_openmpi = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (!ranks && by_openmpi) ranks = atol(by_openmpi);
    return ranks > 0 ? (uint64_t)ranks : 1;
}

void lw_processor_time_begin(void) {
    bool crowded = lw_recorder.crowded;
    lw_recorder.long_gap =
        (uint64_t)((crowded ? long_gap_seconds_crowded : long_gap_seconds) * lw_clock.rate);
    if (crowded) weigh_reading();
    // A profile does not contain it.
    if (lw_recorder.profiling) lw_recorder.long_gap = INT64_MAX;
    nanoseconds_per_tick = 1e9 / lw_clock.rate;
    budget_interval =
        (uint64_t)((crowded ? interval_seconds_crowded : budget_interval_seconds) * lw_clock.rate);
    cores = (uint64_t)lw_usable_cores();
    ranks_here = ranks_on_this_node();
    cores_here = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
}

// A thread's clock by its number, as Linux composes it (clock_getcpuclockid of threads of other processes).
static clockid_t clock_of(int thread) { return (clockid_t)((~(unsigned)thread << 3) | 6); }

static void look_at_helpers(uint64_t now, uint64_t process) {
    if (now < next_look) return;
    DIR* folder = opendir("/proc/self/task");
    if (!folder) return;
    uint64_t sum = 0, most = 0, began = lw_clock_read(CLOCK_THREAD_CPUTIME_ID);
    int self = (int)syscall(SYS_gettid);
    for (const struct dirent* entry; (entry = readdir(folder));) {
        int thread = atoi(entry->d_name);
        struct timespec time;
        if (thread <= 0 || thread == self || clock_gettime(clock_of(thread), &time) != 0) continue;
        uint64_t cpu = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
        sum += cpu;
        if (cpu > most) most = cpu;
    }
    closedir(folder);
    // Threads that ended took their CPU time with them.
    helped = sum < of_helpers || (sum - of_helpers) * LEAST_HELP > process - of_all;
    longest_share = sum ? (double)most / (double)sum : 1;
    of_helpers = sum;
    of_all = process;
    // Not the time passed, which may be a wait for a core.
    uint64_t cost = lw_clock_read(CLOCK_THREAD_CPUTIME_ID) - began;
    next_look = now + (uint64_t)((double)(LOOK_BUDGET * cost) / nanoseconds_per_tick);
}

// Returns what counts of the process's CPU time in a gap. If threads outnumber the node's cores, it is
// that of the thread that had most of it: with a core each they would compute at once. OWN is that of the
// caller.
static uint64_t of_longest_thread(uint64_t process, uint64_t own) {
    if (own >= process || (process - own) * LEAST_HELP < process) return process;
    uint64_t longest = (uint64_t)(longest_share * (double)(process - own));
    if (longest < own) longest = own;
    // If as many threads as cores compute, those of the MPI library add a little, and that is not too many.
    uint64_t with_others = longest + longest / LEAST_HELP;
    bool outnumber = lw_recorder.crowded || ranks_here * process > cores_here * with_others;
    return outnumber ? longest : process;
}

// While one thread calls MPI, the others compute for it (OpenMP): the rank's CPU time is the process's. If
// several call, each has its own gaps and its own time in them.
static clockid_t clock_of_gap(void) {
    return lw_threads_attached() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID;
}

// Another thread may call MPI before the next reading, and then the process's time is not this thread's.
static void read_own(struct lw_processor_time* time) {
    time->own = 0;
    if (!lw_recorder.locked && !helped && !lw_recorder.crowded) return;
    time->own = lw_clock_read(CLOCK_THREAD_CPUTIME_ID);
    time->threads = lw_threads_begun();
}

static bool others_called(const struct lw_processor_time* time) {
    return time->own && time->clock == CLOCK_PROCESS_CPUTIME_ID && lw_threads_begun() != time->threads;
}

void lw_processor_time_attach(struct lw_processor_time* time, uint64_t origin, bool process_start) {
    // The process's CPU clock starts at 0 with the process, as its first gap does.
    *time = (struct lw_processor_time){
        .next_reading = lw_recorder.crowded ? 0 : origin,
        .read_at = process_start ? origin : 0,
        .clock = process_start ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID,
        .threads = lw_threads_begun()};
}

uint64_t lw_processor_time_after_gap(struct lw_call* call, uint64_t now) {
    struct lw_thread* self = call->self;
    struct lw_processor_time* time = &self->cpu;
    *self->long_gap_follows = true;
    clockid_t clock = clock_of_gap();
    if (others_called(time)) {
        time->clock = clock = CLOCK_THREAD_CPUTIME_ID;
        time->latest = time->own;
    }
    uint64_t cpu = lw_clock_read(clock);
    if (clock == time->clock && time->read_at) {
        uint64_t used = cpu > time->latest + reading_cpu ? cpu - time->latest - reading_cpu : 0;
        uint64_t wall =
            (uint64_t)((double)(now - self->last_exit - lw_reading_of_gap(self)) * nanoseconds_per_tick);
        // Without a reading at the gap's start the difference includes earlier calls too: an upper bound.
        bool whole_gap = time->read_at == self->last_exit;
        uint64_t most = whole_gap && clock == CLOCK_PROCESS_CPUTIME_ID ? cores * wall : wall;
        if (clock == CLOCK_PROCESS_CPUTIME_ID) {
            // Nothing was read before the process's first gap.
            uint64_t own = time->latest ? 0 : lw_clock_read(CLOCK_THREAD_CPUTIME_ID);
            uint64_t all = used < most ? used : most;
            atomic_fetch_add_explicit(&of_gaps, all > own ? all - own : 0, memory_order_relaxed);
            if (time->own) used = of_longest_thread(used, lw_clock_read(CLOCK_THREAD_CPUTIME_ID) - time->own);
            look_at_helpers(now, cpu);
        }
        call->cpu = (int64_t)(used < most ? used : most);
    }
    time->latest = cpu;
    time->clock = clock;
    time->read_at = 1;
    read_own(time);
    // The reading's own time goes to the gap, which is long, and not to the call, which may be short.
    return lw_ticks();
}

void lw_processor_time_before_gap(struct lw_thread* self, bool predicted, uint64_t now) {
    struct lw_processor_time* time = &self->cpu;
    // A prediction is valid once: the next long gap renews it.
    if (predicted) *self->long_gap_follows = false;
    if (lw_recorder.crowded) {
        time->next_reading = now + budget_interval;
    } else {
        if (now >= time->next_reading) {
            uint64_t oldest = now - SAVED_READINGS * budget_interval;
            if (time->next_reading < oldest) time->next_reading = oldest;
        }
        time->next_reading += budget_interval;
    }
    time->clock = clock_of_gap();
    read_own(time);
    time->latest = lw_clock_read(time->clock);
    time->read_at = now;
    // A rank that had to wait for its core reads the clock with cold caches, which may take a microsecond.
    if (lw_recorder.crowded) time->reading = lw_ticks() - now;
}

// The callers' own time in later gaps is subtracted twice, as telling it apart would take a second clock at
// each gap.
uint64_t lw_processor_time_of_helpers(void) {
    uint64_t process = lw_clock_read(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t seen = lw_threads_cpu() + atomic_load_explicit(&of_gaps, memory_order_relaxed);
    return process > seen ? process - seen : 0;
}
