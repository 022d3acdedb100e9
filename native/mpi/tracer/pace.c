// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "pace.h"

#include "profile.h"
#include "thread.h"

static const double short_seconds = 1e-6;
// Half-timed calls in a row: 0 to 31, so that one in 16.5 is timed at both ends.
enum { SHORT_RUN = 64, HALF_TIMED_BITS = 5, LARGEST_UNCLEAR_PART = 100 };

uint64_t lw_pace_short_interval(void) { return (uint64_t)(short_seconds * lw_clock.rate); }

// The number of calls between two readings must not follow the rhythm of a loop. A linear congruential
// generator modulo 2^64 (Knuth, MMIX), of which the upper bits are used.
static uint8_t draw(struct lw_paces* paces) {
    paces->random = paces->random * 6364136223846793005u + 1442695040888963407u;
    return (uint8_t)(paces->random >> (64 - HALF_TIMED_BITS));
}

bool lw_pace_timed(struct lw_thread* self, uint64_t interval) {
    struct lw_paces* paces = &self->paces;
    struct lw_pace* pace = paces->latest;
    if (interval >= lw_recorder.short_interval) {
        pace->short_run = 0;
        return false;
    }
    if (pace->short_run < SHORT_RUN) {
        pace->short_run++;
        return false;
    }
    bool among_half_timed = pace->short_run > SHORT_RUN;
    if (self->last_exit >= paces->every_until) {
        pace->half_timed = draw(paces);
        pace->short_run = SHORT_RUN + 1;
    } else {
        pace->short_run = SHORT_RUN;
    }
    return among_half_timed;
}

void lw_pace_unclear(struct lw_thread* self, uint64_t interval) {
    struct lw_paces* paces = &self->paces;
    paces->latest->half_timed = paces->latest->short_run = 0;
    paces->unclear += interval;
    paces->every_until = self->tallies->first + LARGEST_UNCLEAR_PART * paces->unclear;
}
