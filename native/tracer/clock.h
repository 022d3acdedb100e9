// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Ticks: the CPU's time stamp counter if it is steady, otherwise CLOCK_MONOTONIC in nanoseconds.
#ifndef LINKWORTH_CLOCK_H
#define LINKWORTH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#pragma GCC visibility push(hidden)

struct lw_clock {
    bool counter;               ///< ticks come from the CPU's counter
    double known_rate;          ///< ticks per second, 0 if only synchronisations determine it
    double rate;                ///< ticks per second, estimated at the start
    uint64_t counter_at_start;  ///< counts, at the start of the process
    uint64_t monotonic_at_start, realtime_at_start;
};
extern struct lw_clock lw_clock;

/// Counts are shifted right by this, so that times are short: a tick is 2 to 8 ns on x86 processors of 1 to 4
/// GHz. It is a constant, because every call makes two of these shifts.
#if defined(__x86_64__)
enum { LW_TICK_SHIFT = 3 };
#else
enum { LW_TICK_SHIFT = 0 };
#endif

/// Three clocks read together. All but ticks in nanoseconds.
struct lw_instant {
    uint64_t ticks, monotonic, realtime;
};

/// Notes the start of the process: the constructor calls it.
void lw_clock_note_start(void);
/// Chooses the source of ticks and its shift; ticks may be read afterwards.
void lw_clock_choose(void);
/// The start of the process, in ticks once the clock is chosen.
struct lw_instant lw_clock_start(void);
struct lw_instant lw_clock_now(void);
uint64_t lw_clock_read(clockid_t clock);

static inline uint64_t lw_counter(void) {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return 0;
#endif
}

static inline __attribute__((always_inline)) uint64_t lw_counter_ticks(void) {
    return lw_counter() >> LW_TICK_SHIFT;
}

static inline __attribute__((always_inline)) uint64_t lw_ticks(void) {
    if (__builtin_expect(lw_clock.counter, 1)) return lw_counter_ticks();
    return lw_clock_read(CLOCK_MONOTONIC);
}

#pragma GCC visibility pop
#endif
