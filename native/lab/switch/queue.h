// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#ifndef LINKWORTH_SWITCH_QUEUE_H
#define LINKWORTH_SWITCH_QUEUE_H

#include "network.h"

/// Append a frame, which the queue then refers to. Return false if no memory is left.
bool queue_append(struct queue* queue, struct frame* frame, int64_t due);

/// The first of a queue, which must not be empty.
struct queued* queue_first(const struct queue* queue);

/// Take the first away; the reference to its frame goes to the caller.
struct queued queue_take(struct queue* queue);

/// Let go of everything.
void queue_free(struct queue* queue);

/// Copy a frame that was read. Return NULL if no memory is left. The caller has the one reference.
struct frame* frame_of(const unsigned char* bytes, uint32_t length);

/// Give up one reference.
void frame_release(struct frame* frame);

#endif
