// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "text_table.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct text_table* table, uint32_t ref) {
    // Fibonacci hashing; the room is a power of two.
    size_t slot = (size_t)(ref * UINT32_C(2654435769)) & (table->room - 1);
    while (table->entries[slot].text != NULL && table->entries[slot].ref != ref)
        slot = (slot + 1) & (table->room - 1);
    return slot;
}

static int grow(struct text_table* table) {
    struct text_table larger = {NULL, table->count, table->room == 0 ? 256 : 2 * table->room};
    larger.entries = calloc(larger.room, sizeof *larger.entries);
    if (larger.entries == NULL) return 0;
    for (size_t i = 0; i < table->room; ++i)
        if (table->entries[i].text != NULL)
            larger.entries[slot_of(&larger, table->entries[i].ref)] = table->entries[i];
    free(table->entries);
    *table = larger;
    return 1;
}

int text_table_add(struct text_table* table, uint32_t ref, const char* text) {
    if (2 * (table->count + 1) > table->room && !grow(table)) return 0;
    struct text_entry* entry = &table->entries[slot_of(table, ref)];
    // If a reference is given twice, the first stays, because names already passed on live as long as the
    // table.
    if (entry->text != NULL) return 1;
    entry->ref = ref;
    entry->text = strdup(text);
    if (entry->text == NULL) return 0;
    ++table->count;
    return 1;
}

const char* text_table_find(const struct text_table* table, uint32_t ref) {
    if (table->room == 0) return "";
    const char* text = table->entries[slot_of(table, ref)].text;
    return text == NULL ? "" : text;
}

void text_table_free(struct text_table* table) {
    for (size_t i = 0; i < table->room; ++i) free(table->entries[i].text);
    free(table->entries);
    table->entries = NULL;
    table->count = table->room = 0;
}
