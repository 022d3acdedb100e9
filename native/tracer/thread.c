// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "thread.h"

#include "point_to_point.h"
#include "profile.h"
#include "request.h"
#include "wrapper.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

// Guards the lists below, and nothing that happens at a call.
static pthread_mutex_t attaching = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t end_of_thread;
static bool has_key;
static bool closed;
static struct lw_thread** threads;
static uint32_t thread_count, thread_capacity;
static struct lw_thread* free_ones;
static uint64_t cpu_of_ended;  // ns
static _Atomic uint32_t attached;
static _Atomic uint32_t begun;
static __thread uint64_t own_cpu __attribute__((tls_model("initial-exec")));  // of it the calling thread's

// A thread that ends leaves its state, with the open window of the file, to the next one that begins.
// Programs may begin and end very many threads. If a later destructor calls MPI, that counts as a new thread.
static void release(void* state) {
    struct lw_thread* self = state;
    lw_own.self = lw_own.ready = NULL;
    lw_buffers_end_thread();
    lw_requests_end_thread();
    pthread_mutex_lock(&attaching);
    // Also if the disk was full: its clock is not there any more.
    self->ended = true;
    uint64_t cpu = lw_clock_read(CLOCK_THREAD_CPUTIME_ID);
    cpu_of_ended += cpu - own_cpu;
    own_cpu = cpu;
    if (lw_tracing) {
        self->next_free = free_ones;
        free_ones = self;
        atomic_fetch_sub(&attached, 1);
    }
    pthread_mutex_unlock(&attaching);
}

static struct lw_thread* make(uint64_t origin) {
    if (thread_count == thread_capacity) {
        uint32_t larger = thread_capacity ? 2 * thread_capacity : 16;
        struct lw_thread** fresh = realloc(threads, larger * sizeof(struct lw_thread*));
        if (!fresh) return NULL;
        threads = fresh;
        thread_capacity = larger;
    }
    struct lw_thread* self =
        mmap(NULL, sizeof *self, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (self == MAP_FAILED) return NULL;
    self->stream.thread = thread_count;
    self->last_exit = origin;
    lw_repeat_renew(self);
    if (lw_recorder.profiling && !lw_profile_attach(self)) {
        munmap(self, sizeof *self);
        return NULL;
    }
    threads[thread_count++] = self;
    return self;
}

// Some libraries let threads call MPI at once at any thread level, and Open MPI does not mind. The first
// thread's call under way still takes no lock, which matters for some nanoseconds at its end.
static void begin_to_lock(void) {
    lw_recorder.locked = true;
    lw_fast = false;
    lw_choose_ways(LW_PLAIN);
    for (uint32_t i = 0; i < thread_count; i++) threads[i]->stamp &= ~(uint64_t)UINT32_MAX;
}

struct lw_thread* lw_thread_attach(uint64_t origin) {
    pthread_mutex_lock(&attaching);
    if (closed) {
        pthread_mutex_unlock(&attaching);
        return NULL;
    }
    if (!has_key) has_key = pthread_key_create(&end_of_thread, release) == 0;
    bool first = thread_count == 0;
    if (!first && !lw_recorder.locked) begin_to_lock();
    struct lw_thread* self = free_ones;
    if (self)
        free_ones = self->next_free;
    else
        self = make(origin);
    if (self) {
        atomic_fetch_add(&attached, 1);
        atomic_fetch_add(&begun, 1);
        // The thread that had the state may have made its last call since ORIGIN was read.
        if (origin < self->last_exit) origin = self->last_exit;
        self->last_exit = origin;
        self->long_gap_follows = &self->shapes[0].long_gap_follows;
        lw_processor_time_attach(&self->cpu, origin, first);
        if (has_key) pthread_setspecific(end_of_thread, self);
        lw_own.self = self;
        self->owner = pthread_self();
        self->ended = !has_key;
        // The first gap begins where a block does, so an earlier thread's block cannot be used.
        lw_lock();
        if (self->tallies)
            self->tallies->last = origin;
        else
            lw_open_block(self, LW_EVENT_MOST_BYTES);
        lw_unlock();
    }
    pthread_mutex_unlock(&attaching);
    return self;
}

void lw_threads_close(void) {
    pthread_mutex_lock(&attaching);
    closed = true;
    pthread_mutex_unlock(&attaching);
}

void lw_threads_each(void (*function)(struct lw_thread*)) {
    pthread_mutex_lock(&attaching);
    for (uint32_t i = 0; i < thread_count; i++) function(threads[i]);
    pthread_mutex_unlock(&attaching);
}

uint64_t lw_threads_cpu(void) {
    pthread_mutex_lock(&attaching);
    uint64_t sum = cpu_of_ended;
    for (uint32_t i = 0; i < thread_count; i++) {
        clockid_t clock;
        if (!threads[i]->ended && pthread_getcpuclockid(threads[i]->owner, &clock) == 0)
            sum += lw_clock_read(clock);
    }
    pthread_mutex_unlock(&attaching);
    return sum;
}

uint32_t lw_threads_begun(void) { return atomic_load_explicit(&begun, memory_order_relaxed); }

uint32_t lw_threads_attached(void) { return atomic_load_explicit(&attached, memory_order_relaxed); }

// A nested call's frame is below that of the call under way, whose return address is still on the stack.
bool lw_left_by_jump(uintptr_t cfa) {
    if (!lw_own.frame) return false;
    bool nested = cfa < lw_own.frame;
#if defined(__x86_64__)
    nested = nested && ((const uintptr_t*)lw_own.frame)[-1] == lw_own.site;
#endif
    if (nested) return false;
    lw_own.inside = false;
    lw_own.ready = lw_own.self;
    lw_own.duplicating = NULL;
    return true;
}

void lw_enter_first(struct lw_call* call) {
    uint64_t now = lw_ticks();
    call->self = lw_thread_attach(now);
    call->recording = call->self != NULL;
    call->start = lw_ticks();
}
