// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "queue.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct queue* queue) {
    uint32_t capacity = queue->capacity ? queue->capacity * 2 : 64;
    if (capacity > (1U << 20)) return false;
    struct queued* items = malloc(capacity * sizeof *items);
    if (items == NULL) return false;
    for (uint32_t i = 0; i < queue->count; i++)
        items[i] = queue->items[(queue->first + i) & (queue->capacity - 1)];
    free(queue->items);
    queue->items = items;
    queue->capacity = capacity;
    queue->first = 0;
    return true;
}

bool queue_append(struct queue* queue, struct frame* frame, int64_t due) {
    if (queue->count == queue->capacity && !grow(queue)) return false;
    queue->items[(queue->first + queue->count) & (queue->capacity - 1)] = (struct queued){due, frame};
    queue->count++;
    frame->references++;
    return true;
}

struct queued* queue_first(const struct queue* queue) { return &queue->items[queue->first]; }

struct queued queue_take(struct queue* queue) {
    struct queued taken = queue->items[queue->first];
    queue->first = (queue->first + 1) & (queue->capacity - 1);
    queue->count--;
    return taken;
}

void queue_free(struct queue* queue) {
    while (queue->count > 0) frame_release(queue_take(queue).frame);
    free(queue->items);
    memset(queue, 0, sizeof *queue);
}

struct frame* frame_of(const unsigned char* bytes, uint32_t length) {
    struct frame* frame = malloc(sizeof *frame + length);
    if (frame == NULL) return NULL;
    memset(frame, 0, sizeof *frame);
    frame->references = 1;
    frame->length = length;
    memcpy(frame->bytes, bytes, length);
    return frame;
}

void frame_release(struct frame* frame) {
    if (--frame->references == 0) free(frame);
}
