// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "event_memory.h"

#include <stdlib.h>

/// A chunk of a writer's memory, linked to the one before.
struct chunk {
    struct chunk* before;
    void* bytes;
};

static void* allocate(void* user, OTF2_FileType type, OTF2_LocationRef location, void** of_writer,
                      uint64_t size) {
    (void)user, (void)location;
    struct chunk* latest = *of_writer;
    // Without memory for the next chunk of events, OTF2 writes what it has. Definitions must stay in memory.
    if (type == OTF2_FILETYPE_EVENTS && latest != NULL) return NULL;
    struct chunk* made = malloc(sizeof *made);
    if (made == NULL) return NULL;
    made->bytes = malloc(size);
    if (made->bytes == NULL) {
        free(made);
        return NULL;
    }
    made->before = latest;
    *of_writer = made;
    return made->bytes;
}

static void free_all(void* user, OTF2_FileType type, OTF2_LocationRef location, void** of_writer,
                     bool final) {
    (void)user, (void)type, (void)location, (void) final;
    struct chunk* each = *of_writer;
    while (each != NULL) {
        struct chunk* before = each->before;
        free(each->bytes);
        free(each);
        each = before;
    }
    *of_writer = NULL;
}

OTF2_ErrorCode event_memory_use(OTF2_Archive* archive) {
    static const OTF2_MemoryCallbacks memory = {.otf2_allocate = allocate, .otf2_free_all = free_all};
    return OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL);
}
