// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "clock.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

struct lw_clock lw_clock;

uint64_t lw_clock_read(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct pair {
    uint64_t count, monotonic;
};

// The nearest of five readings: one that was interrupted between the two clocks is wide and loses.
static struct pair read_pair(void) {
    struct pair best = {0, 0};
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = lw_counter();
        uint64_t monotonic = lw_clock_read(CLOCK_MONOTONIC);
        uint64_t after = lw_counter();
        if (after - before < narrowest) {
            narrowest = after - before;
            best = (struct pair){before + (after - before) / 2, monotonic};
        }
    }
    return best;
}

void lw_clock_note_start(void) {
    struct pair start = read_pair();
    lw_clock.counter_at_start = start.count;
    lw_clock.monotonic_at_start = start.monotonic;
    lw_clock.realtime_at_start = lw_clock_read(CLOCK_REALTIME);
}

#if defined(__x86_64__)
static bool kernel_trusts_tsc(void) {
    char name[32] = {0};
    int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, name, sizeof name - 1);
    close(file);
    return length >= 3 && strncmp(name, "tsc", 3) == 0;
}

static bool tsc_is_invariant(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}
#endif

static double counts_per_second(struct pair from, struct pair to) {
    return (double)(to.count - from.count) * 1e9 / (double)(to.monotonic - from.monotonic);
}

static struct pair pair_after(struct pair from, uint64_t nanoseconds) {
    struct pair now = read_pair();
    while (now.monotonic - from.monotonic < nanoseconds) now = read_pair();
    return now;
}

void lw_clock_choose(void) {
    lw_clock.counter = false;
    lw_clock.rate = lw_clock.known_rate = 1e9;
    double counts = 0;
#if defined(__x86_64__)
    if (!tsc_is_invariant()) return;
    struct pair start = {lw_clock.counter_at_start, lw_clock.monotonic_at_start};
    struct pair middle = pair_after(start, 100000);
    counts = counts_per_second(start, middle);
    if (!kernel_trusts_tsc()) {
        double again = counts_per_second(middle, pair_after(middle, 200000));
        if (fabs(again / counts - 1) > 0.01) return;
    }
    lw_clock.known_rate = 0;
#elif defined(__aarch64__)
    uint64_t frequency;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
    counts = (double)frequency;
#endif
    if (counts <= 0) return;
    lw_clock.counter = true;
    lw_clock.rate = counts / (double)(1u << LW_TICK_SHIFT);
#if defined(__aarch64__)
    lw_clock.known_rate = lw_clock.rate;
#endif
}

struct lw_instant lw_clock_start(void) {
    uint64_t ticks =
        lw_clock.counter ? lw_clock.counter_at_start >> LW_TICK_SHIFT : lw_clock.monotonic_at_start;
    return (struct lw_instant){ticks, lw_clock.monotonic_at_start, lw_clock.realtime_at_start};
}

struct lw_instant lw_clock_now(void) {
    if (!lw_clock.counter) {
        uint64_t now = lw_clock_read(CLOCK_MONOTONIC);
        return (struct lw_instant){now, now, lw_clock_read(CLOCK_REALTIME)};
    }
    struct pair now = read_pair();
    return (struct lw_instant){now.count >> LW_TICK_SHIFT, now.monotonic, lw_clock_read(CLOCK_REALTIME)};
}
