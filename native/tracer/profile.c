// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "profile.h"

#include "repeat.h"

static const uint32_t tallies_magic = 0x5457574c;  // "LWWT"

void lw_profile_begin(struct lw_part_header* header) {
    enum { PAGE = 65536 };  // the largest page in use
    uint64_t bytes = sizeof(struct lw_tallies) + lw_procedures * sizeof(struct lw_tally);
    memcpy(header->magic, "LWPROF1", 8);
    header->version = 3;
    header->block_bytes = (uint32_t)((bytes + PAGE - 1) / PAGE * PAGE);
}

bool lw_profile_attach(struct lw_thread* self) {
    struct lw_tallies* tallies = lw_part_extend(lw_part.header->block_bytes);
    if (!tallies) {
        lw_part.header->flags |= LW_PART_DISK_FULL;
        return false;
    }
    // A profile has no block, so this buffer provides the room that callers expect in one.
    static uint8_t room[LW_EVENT_MOST_BYTES];
    self->stream.position = room;
    self->stream.end = self->stream.event_end = room + sizeof room;
    self->stamp += (uint64_t)1 << 32;
    tallies->thread = self->stream.thread;
    __atomic_store_n(&tallies->magic, tallies_magic, __ATOMIC_RELEASE);
    tallies->first = self->last_exit;
    self->tallies = tallies;
    return true;
}

static uint64_t take(const uint8_t** at) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
}

static uint8_t class_of(const uint8_t* payload) {
    take(&payload);
    return *payload;
}

// In a payload, sizes come after a fixed number of varints.
uint64_t lw_profile_bytes(const uint8_t* payload) {
    const uint8_t* at = payload;
    take(&at);
    unsigned before;
    enum lw_class class = *at++;
    switch (class) {
        case LW_SEND:
        case LW_ISEND:
        case LW_SEND_INIT:
        case LW_PSEND_INIT:
        case LW_SENDRECV:
        case LW_ISENDRECV: before = 3; break;
        case LW_COLLECTIVE:
        case LW_ICOLLECTIVE:
        case LW_COLLECTIVE_INIT: before = 2; break;
        case LW_RMA:
        case LW_IRMA: before = 3; break;  // the operation is below 128, and so like a varint
        default: return 0;
    }
    while (before--) take(&at);
    uint64_t bytes = take(&at);
    return class == LW_PSEND_INIT ? bytes * take(&at) : bytes;
}

void lw_profile_write(struct lw_call* call, const uint8_t* end) {
    enum lw_class class = end ? class_of(lw_recorder.payload) : LW_LOCAL;
    bool persistent = class == LW_SEND_INIT || class == LW_RECV_INIT || class == LW_PSEND_INIT ||
                      class == LW_COLLECTIVE_INIT;
    uint64_t bytes = end && !persistent ? lw_profile_bytes(lw_recorder.payload) : 0;
    // The request takes its bytes from the payload, so such a call is encoded each time.
    if (call->repeat && !persistent) {
        call->repeat->bytes = bytes;
        call->repeat->stamp = lw_repeat_stamp(call->self);
    }
    call->repeat = NULL;
    lw_add_up(call, bytes);
}
