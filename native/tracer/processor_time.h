// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// CPU time of the gaps between calls. Its clock costs some 400 ns, so that it is read only around gaps long
/// enough for that to vanish.
#ifndef LINKWORTH_PROCESSOR_TIME_H
#define LINKWORTH_PROCESSOR_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/// CPU time of one thread that calls MPI.
struct lw_processor_time {
    uint64_t next_reading;  ///< ticks from which the budget allows a reading ahead of a gap
    uint64_t latest;        ///< at the latest reading, ns
    uint64_t reading;       ///< ticks from the gap's start to the end of that reading, if ranks share cores
    uint64_t read_at;       ///< ticks of the gap's start to which the latest reading belongs; 0: no gap
    clockid_t clock;        ///< that it was read from
    uint64_t own;           ///< the thread's own time then, ns, if `locked`; else 0
    uint32_t threads;       ///< had called MPI by then
};

struct lw_thread;
struct lw_call;

/// Sets up the readings, before any thread is attached.
void lw_processor_time_begin(void);
/// Sets up a thread whose first gap starts at ORIGIN ticks. PROCESS_START: with the process itself.
void lw_processor_time_attach(struct lw_processor_time* time, uint64_t origin, bool process_start);
/// At the start of a call, NOW, after a gap that was long. Answers the ticks after the reading.
uint64_t lw_processor_time_after_gap(struct lw_call* call, uint64_t now);
/// At the end of a call, NOW, whose gap to the next is likely to be long, or may be measured for once.
/// PREDICTED: it is likely.
void lw_processor_time_before_gap(struct lw_thread* self, bool predicted, uint64_t now);

/// Returns CPU time of threads that call no MPI, in nanoseconds, of which no gap contains a part: they had it
/// while those that do were in calls, or it is of ranks in which several call. It is a lower bound.
uint64_t lw_processor_time_of_helpers(void);

#pragma GCC visibility pop
#endif
