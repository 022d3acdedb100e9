// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "processor_time.h"

#include "thread.h"

#include <stdatomic.h>

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

// Takes the least of some trials: the cost of the clock itself, without interruptions.
static void weigh_reading(void) {
    reading_cpu = UINT64_MAX;
    for (int trial = 0; trial < TRIAL_READINGS; trial++) {
        uint64_t cpu = lw_clock_read(CLOCK_PROCESS_CPUTIME_ID);
        cpu = lw_clock_read(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        if (cpu < reading_cpu) reading_cpu = cpu;
    }
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
}

// While one thread calls MPI, the others compute for it (OpenMP): the rank's CPU time is the process's. If
// several call, each has its own gaps and its own time in them.
static clockid_t clock_of_gap(void) {
    return lw_threads_attached() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID;
}

// Another thread may call MPI before the next reading, and then the process's time is not this thread's.
static void read_own(struct lw_processor_time* time) {
    if (!lw_recorder.locked) return;
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
        call->cpu = (int64_t)(used < most ? used : most);
        if (clock == CLOCK_PROCESS_CPUTIME_ID) {
            // Nothing was read before the process's first gap.
            uint64_t own = time->latest ? 0 : lw_clock_read(CLOCK_THREAD_CPUTIME_ID);
            uint64_t others = (uint64_t)call->cpu > own ? (uint64_t)call->cpu - own : 0;
            atomic_fetch_add_explicit(&of_gaps, others, memory_order_relaxed);
        }
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
    time->latest = lw_clock_read(time->clock);
    time->read_at = now;
    read_own(time);
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
