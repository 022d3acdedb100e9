// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Choice of the calls that a profile times at their end only. Two clock readings cost more than the rest of
/// a short call.
///
/// A call's *interval* goes from the end of the previous call to its own end. It contains the program's
/// computation and the call. The clock is read at every end, so that all intervals are known. The reading
/// between the two parts is left out if enough intervals in a row between the same two places of the program
/// were short. A random one of these calls is still timed at both ends, to show how such intervals divide. A
/// long interval ends this for its place. If it was half-timed, nothing shows whether the program computed or
/// waited. Such intervals are counted separately. If they come to more than a hundredth of the time, every
/// call is timed at both ends.
#ifndef LINKWORTH_PACE_H
#define LINKWORTH_PACE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { LW_PACE_BITS = 10 };

/// State of the calls at one place that come after calls at another one, as far as a hash distinguishes them.
struct lw_pace {
    uint8_t half_timed;  ///< calls to come that are timed at their end only
    uint8_t short_run;   ///< timed ones in a row that were short, up to the required number; one
                         ///< more: half-timed ones were allowed after them
};

/// State of one thread.
struct lw_paces {
    struct lw_pace* latest;  ///< of the latest call
    uint32_t place;          ///< of the latest call
    uint64_t random;         ///< state of the generator
    uint64_t unclear;        ///< ticks of long intervals of half-timed calls
    uint64_t every_until;    ///< ticks until which every call is timed at both ends
    struct lw_pace of[1 << LW_PACE_BITS];
};

struct lw_thread;

/// Ticks below which an interval is short.
uint64_t lw_pace_short_interval(void);
/// After a call with this interval that was timed at both ends. True: it was one among half-timed ones, and
/// as short as they are.
bool lw_pace_timed(struct lw_thread* self, uint64_t interval);
/// After a half-timed call whose interval was not short.
void lw_pace_unclear(struct lw_thread* self, uint64_t interval);

/// Returns whether the call that returns to SITE is timed at its end only.
static inline __attribute__((always_inline)) bool lw_pace_next(struct lw_paces* paces, uintptr_t site) {
    uint32_t place = (uint32_t)((site * 0x9e3779b97f4a7c15u) >> 32);
    struct lw_pace* pace = &paces->of[(place + paces->place) >> (32 - LW_PACE_BITS)];
    // Halved, so that the order of the two places counts.
    paces->place = place >> 1;
    paces->latest = pace;
    if (!pace->half_timed) return false;
    pace->half_timed--;
    return true;
}

#pragma GCC visibility pop
#endif
