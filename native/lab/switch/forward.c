// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "forward.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "queue.h"
#include "tap.h"

enum { ADDRESS_SIZE = 6, HEADER_SIZE = 14, SLOTS = 1024, PROBES = 8 };

struct slot {
    unsigned char address[ADDRESS_SIZE];
    uint16_t segment;
    uint16_t port;
    bool used;
};

struct addresses {
    struct slot slots[SLOTS];
};

struct addresses* addresses_new(void) { return calloc(1, sizeof(struct addresses)); }

void addresses_free(struct addresses* addresses) { free(addresses); }

static struct slot* find(struct addresses* addresses, uint16_t segment, const unsigned char* address,
                         bool make) {
    uint64_t key = segment;
    for (int i = 0; i < ADDRESS_SIZE; i++) key = (key << 8) | address[i];
    size_t start = (size_t)((key * 0x9e3779b97f4a7c15ULL) >> 54);
    for (size_t probe = 0; probe < PROBES; probe++) {
        struct slot* slot = &addresses->slots[(start + probe) % SLOTS];
        bool same =
            slot->used && slot->segment == segment && memcmp(slot->address, address, ADDRESS_SIZE) == 0;
        if (same) return slot;
        if (make && (!slot->used || probe == PROBES - 1)) {
            *slot = (struct slot){.segment = segment, .used = true};
            memcpy(slot->address, address, ADDRESS_SIZE);
            return slot;
        }
    }
    return NULL;
}

/// SplitMix64 (Steele, Lea, Flood 2014), as a share of 1.
static double chance(struct port* port) {
    uint64_t mixed = port->random += 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    mixed ^= mixed >> 31;
    return (double)(mixed >> 11) * 0x1.0p-53;
}

/// Nearly normal, of mean 0 and deviation 1: the sum of twelve uniform shares less six.
static double normal(struct port* port) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += chance(port);
    return sum;
}

/// Return the time at which a frame that comes at `now` has passed a wire that is free at `*free_at`; -1 if
/// its queue is full.
static int64_t pass(uint64_t rate, uint64_t queue_bytes, uint32_t wire, int64_t now, int64_t* free_at) {
    if (rate == 0) return now;
    if (*free_at < now) *free_at = now;
    double waiting = (double)(*free_at - now) * 1e-9 * (double)rate;
    if (waiting + wire > (double)queue_bytes) return -1;
    *free_at += (int64_t)((double)wire * 1e9 / (double)rate);
    return *free_at;
}

static void send_down(struct port* port, struct frame* frame, int64_t now) {
    if (port->fd < 0) return;
    if (port->loss > 0 && chance(port) < port->loss) {
        port->counters.lost++;
        return;
    }
    int64_t passed = pass(port->down_rate, port->queue_bytes, frame->wire, now, &port->down_free);
    if (passed < 0) {
        port->counters.down_dropped++;
        return;
    }
    int64_t due = passed + port->delay;
    if (port->jitter > 0) due += (int64_t)(normal(port) * (double)port->jitter);
    // A wire does not reorder: jitter moves frames in time, never past each other.
    if (due < passed) due = passed;
    if (due < port->last_due) due = port->last_due;
    if (port->moderation > 0) {
        int64_t periods = (due + port->moderation_phase + port->moderation - 1) / port->moderation;
        due = periods * port->moderation - port->moderation_phase;
    }
    port->last_due = due;
    if (!queue_append(&port->down, frame, due)) port->counters.down_dropped++;
}

static void switch_frame(struct network* network, struct addresses* addresses, struct frame* frame,
                         int64_t now) {
    const unsigned char* ethernet =
        frame->bytes + (network->ports[frame->source].vnet_header ? (uint32_t)VNET_HEADER : 0);
    find(addresses, frame->segment, ethernet + ADDRESS_SIZE, true)->port = frame->source;
    bool group = (ethernet[0] & 1) != 0;
    const struct slot* known = group ? NULL : find(addresses, frame->segment, ethernet, false);
    if (known != NULL) {
        if (known->port != frame->source) send_down(&network->ports[known->port], frame, now);
        return;
    }
    for (size_t i = 0; i < network->count; i++)
        if (i != frame->source && network->ports[i].segment == frame->segment)
            send_down(&network->ports[i], frame, now);
}

void forward_up(struct network* network, struct addresses* addresses, size_t source,
                const unsigned char* bytes, uint32_t length, int64_t now) {
    struct port* port = &network->ports[source];
    if (length < (port->vnet_header ? (uint32_t)VNET_HEADER : 0) + HEADER_SIZE) return;
    uint32_t segments = 0;
    uint32_t wire = tap_wire_bytes(port, bytes, length, &segments);
    struct frame* frame = frame_of(bytes, length);
    if (frame == NULL) {
        port->counters.up_dropped++;
        return;
    }
    port->counters.up_frames += segments;
    port->counters.up_bytes += wire;
    frame->wire = wire;
    frame->segment = port->segment;
    frame->source = (uint16_t)source;
    switch_frame(network, addresses, frame, now);
    frame_release(frame);
}

static void hand_over(struct port* port, const struct frame* frame) {
    if (write(port->fd, frame->bytes, frame->length) < 0) {
        port->counters.refused++;
        return;
    }
    uint32_t segments = 0;
    port->counters.down_bytes += tap_wire_bytes(port, frame->bytes, frame->length, &segments);
    port->counters.down_frames += segments;
}

int64_t forward_due(struct network* network, int64_t now, int64_t margin) {
    int64_t by = now + margin;
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < network->count; i++) {
        struct port* port = &network->ports[i];
        while (port->down.count > 0 && queue_first(&port->down)->due <= by) {
            struct queued sent = queue_take(&port->down);
            int64_t late = now - sent.due;
            port->counters.late_sum += late;
            port->counters.handed++;
            if (late > port->counters.late_most) port->counters.late_most = late;
            if (port->fd >= 0) hand_over(port, sent.frame);
            frame_release(sent.frame);
        }
        if (port->down.count > 0 && queue_first(&port->down)->due < next)
            next = queue_first(&port->down)->due;
    }
    return next;
}
