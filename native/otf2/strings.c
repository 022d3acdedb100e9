// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "strings.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct strings* strings, uint32_t ref) {
    // Fibonacci hashing; the room is a power of two.
    size_t slot = (size_t)(ref * UINT32_C(2654435769)) & (strings->room - 1);
    while (strings->entries[slot].text != NULL && strings->entries[slot].ref != ref)
        slot = (slot + 1) & (strings->room - 1);
    return slot;
}

static int grow(struct strings* strings) {
    struct strings larger = {NULL, strings->count, strings->room == 0 ? 256 : 2 * strings->room};
    larger.entries = calloc(larger.room, sizeof *larger.entries);
    if (larger.entries == NULL) return 0;
    for (size_t i = 0; i < strings->room; ++i)
        if (strings->entries[i].text != NULL)
            larger.entries[slot_of(&larger, strings->entries[i].ref)] = strings->entries[i];
    free(strings->entries);
    *strings = larger;
    return 1;
}

int strings_add(struct strings* strings, uint32_t ref, const char* text) {
    if (2 * (strings->count + 1) > strings->room && !grow(strings)) return 0;
    struct string_entry* entry = &strings->entries[slot_of(strings, ref)];
    // Of a reference that is given twice, the first stays: names that were told live as long as this.
    if (entry->text != NULL) return 1;
    entry->ref = ref;
    entry->text = strdup(text);
    if (entry->text == NULL) return 0;
    ++strings->count;
    return 1;
}

const char* strings_find(const struct strings* strings, uint32_t ref) {
    if (strings->room == 0) return "";
    const char* text = strings->entries[slot_of(strings, ref)].text;
    return text == NULL ? "" : text;
}

void strings_free(struct strings* strings) {
    for (size_t i = 0; i < strings->room; ++i) free(strings->entries[i].text);
    free(strings->entries);
    strings->entries = NULL;
    strings->count = strings->room = 0;
}
