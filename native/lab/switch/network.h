// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#ifndef LINKWORTH_SWITCH_NETWORK_H
#define LINKWORTH_SWITCH_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MOST_PORTS = 256,
    /// struct virtio_net_hdr, which TAP devices with IFF_VNET_HDR put before every frame.
    VNET_HEADER = 10,
    LARGEST_FRAME = VNET_HEADER + 65536 + 64,
    /// Overhead of every Ethernet frame besides its bytes: preamble and start 8, check sequence 4, gap 12
    /// (IEEE 802.3).
    WIRE_OVERHEAD = 24,
    /// Smallest frame without its check sequence (IEEE 802.3).
    SMALLEST_FRAME = 60,
    NAME_SIZE = 64,
    PATH_SIZE = 256,
};

/// A frame as it came from a port, shared by the queues of all ports that it goes to.
struct frame {
    uint32_t references;
    uint32_t length;  // with the virtio header, if there is one
    uint32_t wire;    // bytes on the wire, of all segments
    uint16_t segment;
    uint16_t source;
    unsigned char bytes[];
};

struct queued {
    int64_t due;
    struct frame* frame;
};

/// A ring of frames in the order of their times.
struct queue {
    struct queued* items;
    uint32_t capacity;  // a power of two
    uint32_t first;
    uint32_t count;
};

struct counters {
    uint64_t up_frames, up_bytes;      // from the node
    uint64_t down_frames, down_bytes;  // to the node
    uint64_t lost;                     // by chance, on the way to the node
    uint64_t up_dropped;               // no memory was left
    uint64_t down_dropped;             // the queue was full
    uint64_t refused;                  // the node's end did not take it
    uint64_t handed;                   // to the node, joined segments as one
    int64_t late_sum, late_most;       // nanoseconds behind the due time, when handed to the node
};

struct port {
    // Requested settings.
    char name[NAME_SIZE];
    char device[NAME_SIZE];
    char namespace_path[PATH_SIZE];
    int given_fd;
    uint16_t segment;
    uint64_t down_rate;     // bytes per second; 0: without limit
    int64_t delay, jitter;  // nanoseconds, towards the node: mean and standard deviation
    int64_t moderation;     // nanoseconds between the times at which frames reach the node; 0: any time
    double loss;            // share of the frames to the node
    uint64_t queue_bytes;   // towards the node
    bool offload;           // let the kernel hand on joined segments and open checksums

    // Actual state.
    int fd;
    bool vnet_header;
    uint64_t random;
    int64_t moderation_phase;
    int64_t down_free, last_due;
    struct queue down;
    struct counters counters;
};

struct network {
    struct port ports[MOST_PORTS];
    size_t count;
    uint64_t seed;
    char counters_path[PATH_SIZE];
};

#endif
