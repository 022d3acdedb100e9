// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A switch in user space for kernels without netem: each port has its rate, delay, jitter, loss and queue.
///
/// Its arguments describe the network (config.h). It prints one line `ready fifo` or `ready other` (its
/// scheduling class) when the ports are there, and writes its counters as a table into a file on SIGUSR1 and
/// at its end, which SIGTERM asks for.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "forward.h"
#include "queue.h"
#include "tap.h"

enum { TIMER = MOST_PORTS, SIGNALS, EVENTS = 64, BATCH = 64, LONGEST_WAKE = 30000 };

struct loop {
    struct network network;
    struct addresses* addresses;
    int epoll, timer, signals;
    int64_t armed;
    /// Running mean of the time to wake up on this machine, in nanoseconds. Timers go off so much earlier.
    int64_t wake;
    bool ended;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool watch(const struct loop* loop, int fd, uint32_t number) {
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void read_port(struct loop* loop, size_t number, int64_t came) {
    static unsigned char bytes[LARGEST_FRAME];
    struct port* port = &loop->network.ports[number];
    for (int i = 0; i < BATCH; i++) {
        ssize_t length = read(port->fd, bytes, sizeof bytes);
        if (length > 0) {
            forward_up(&loop->network, loop->addresses, number, bytes, (uint32_t)length, came);
            continue;
        }
        // A device that is down gives EIO, one whose namespace is gone EBADFD, and a socket whose peer is
        // gone an empty frame.
        if (length == 0 || (errno != EAGAIN && errno != EINTR && errno != EIO)) {
            epoll_ctl(loop->epoll, EPOLL_CTL_DEL, port->fd, NULL);
            close(port->fd);
            port->fd = -1;
        }
        return;
    }
}

/// Write the counters of each port as a table, one line a port, under the path of the network; by atomic
/// rename.
static void write_counters(const struct network* network) {
    if (network->counters_path[0] == '\0') return;
    char path[PATH_SIZE + 8];
    snprintf(path, sizeof path, "%s.new", network->counters_path);
    FILE* file = fopen(path, "we");
    if (file == NULL) return;
    fputs(
        "port up_frames up_bytes down_frames down_bytes lost up_dropped down_dropped refused late_mean_ns "
        "late_most_ns\n",
        file);
    for (size_t i = 0; i < network->count; i++) {
        const struct port* port = &network->ports[i];
        const struct counters* counted = &port->counters;
        int64_t handed = (int64_t)counted->handed;
        fprintf(file,
                "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                " %" PRIu64 " %" PRId64 " %" PRId64 "\n",
                port->name, counted->up_frames, counted->up_bytes, counted->down_frames, counted->down_bytes,
                counted->lost, counted->up_dropped, counted->down_dropped, counted->refused,
                handed > 0 ? counted->late_sum / handed : 0, counted->late_most);
    }
    bool whole = ferror(file) == 0;
    whole = fclose(file) == 0 && whole;
    if (whole)
        rename(path, network->counters_path);
    else
        remove(path);
}

static void read_signal(struct loop* loop) {
    struct signalfd_siginfo signal;
    if (read(loop->signals, &signal, sizeof signal) != (ssize_t)sizeof signal) return;
    if (signal.ssi_signo == SIGUSR1)
        write_counters(&loop->network);
    else
        loop->ended = true;
}

static void arm(struct loop* loop, int64_t due) {
    if (due == loop->armed) return;
    struct itimerspec when = {0};
    if (due != INT64_MAX) {
        when.it_value.tv_sec = due / 1000000000;
        when.it_value.tv_nsec = due % 1000000000;
    }
    timerfd_settime(loop->timer, TFD_TIMER_ABSTIME, &when, NULL);
    loop->armed = due;
}

/// Learn from a timer how long waking takes. If the machine had no core for this process at all, the delay
/// means nothing.
static void learn_wake(struct loop* loop, int64_t late) {
    if (late > LONGEST_WAKE) late = LONGEST_WAKE;
    loop->wake += (late - loop->wake) / 16;
}

static void run(struct loop* loop) {
    struct epoll_event events[EVENTS];
    loop->armed = INT64_MAX;
    while (!loop->ended) {
        int count = epoll_wait(loop->epoll, events, EVENTS, 0);
        bool slept = count == 0;
        if (slept) count = epoll_wait(loop->epoll, events, EVENTS, -1);
        int64_t woken = now();
        // The event that ended the sleep came before the loop was awake.
        int64_t came = slept ? woken - loop->wake : woken;
        for (int i = 0; i < count; i++) {
            uint32_t number = events[i].data.u32;
            if (number < MOST_PORTS) {
                read_port(loop, number, came);
            } else if (number == SIGNALS) {
                read_signal(loop);
            } else {
                if (slept && count == 1) learn_wake(loop, woken - loop->armed);
                loop->armed = -1;
            }
        }
        // Packets due within the time of another wake-up leave now: as often early as late.
        int64_t next = forward_due(&loop->network, now(), loop->wake);
        arm(loop, next == INT64_MAX ? next : next - loop->wake);
    }
}

static bool open_ports(struct network* network) {
    int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < network->count; i++) {
        struct port* port = &network->ports[i];
        if (!tap_open(port, own)) return false;
        for (size_t other = 0; other < i; other++) {
            const struct port* before = &network->ports[other];
            if (before->segment == port->segment && before->vnet_header != port->vnet_header) {
                fprintf(stderr, "lw-switch: ports %s and %s of one segment must agree on offload\n",
                        before->name, port->name);
                return false;
            }
        }
    }
    close(own);
    return true;
}

static bool set_up(struct loop* loop) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    // A Ctrl-C reaches the whole group, but packets must flow until the lab ends.
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    loop->signals = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    loop->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->addresses = addresses_new();
    bool good = loop->signals >= 0 && loop->timer >= 0 && loop->epoll >= 0 && loop->addresses != NULL &&
                watch(loop, loop->timer, TIMER) && watch(loop, loop->signals, SIGNALS);
    for (size_t i = 0; good && i < loop->network.count; i++)
        good = watch(loop, loop->network.ports[i].fd, (uint32_t)i);
    if (!good) fprintf(stderr, "lw-switch: cannot set up: %s\n", strerror(errno));
    return good;
}

static void tear_down(struct loop* loop) {
    for (size_t i = 0; i < loop->network.count; i++) {
        struct port* port = &loop->network.ports[i];
        queue_free(&port->down);
        if (port->fd >= 0) close(port->fd);
    }
    addresses_free(loop->addresses);
}

int main(int count, char** arguments) {
    struct loop* loop = calloc(1, sizeof *loop);
    if (loop == NULL) return 1;
    bool good = config_read(arguments + 1, (size_t)count - 1, &loop->network) && open_ports(&loop->network) &&
                set_up(loop);
    if (good) {
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
        struct sched_param first = {.sched_priority = 1};
        bool real_time = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first) == 0;
        printf("ready %s\n", real_time ? "fifo" : "other");
        fflush(stdout);
        run(loop);
        write_counters(&loop->network);
    }
    tear_down(loop);
    free(loop);
    return good ? 0 : 1;
}
