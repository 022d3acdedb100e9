// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Texts by their reference, as the definitions of an archive name them.
#ifndef LINKWORTH_OTF2_STRINGS_H
#define LINKWORTH_OTF2_STRINGS_H

#include <stddef.h>
#include <stdint.h>

struct strings {
    struct string_entry {
        uint32_t ref;
        char* text;
    }* entries;
    size_t count;
    size_t room;
};

/// 0 where memory is short.
int strings_add(struct strings* strings, uint32_t ref, const char* text);
/// "" for a reference that was not added.
const char* strings_find(const struct strings* strings, uint32_t ref);
void strings_free(struct strings* strings);

#endif
