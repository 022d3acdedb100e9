// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Texts by their reference, as the definitions of an archive name them.
#ifndef LINKWORTH_OTF2_TEXT_TABLE_H
#define LINKWORTH_OTF2_TEXT_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct text_table {
    struct text_entry {
        uint32_t ref;
        char* text;
    }* entries;
    size_t count;
    size_t room;
};

/// Returns 0 if memory runs out.
int text_table_add(struct text_table* table, uint32_t ref, const char* text);
/// "" for a reference that was not added.
const char* text_table_find(const struct text_table* table, uint32_t ref);
void text_table_free(struct text_table* table);

#endif
