// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "event_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "End of the file" and "end of the chunk", as OTF2 1.0 to 3.0 write them.
static const unsigned char LAST_BYTES[] = {0x02, 0x01};

enum { LEAST_BYTES_OF_A_RECORD = 2 };  // its kind and its length

static int ends_with_the_mark(const char* path) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) return 1;
    unsigned char last[sizeof LAST_BYTES];
    const int read = fseek(file, -(long)sizeof last, SEEK_END) == 0 && fread(last, sizeof last, 1, file) == 1;
    fclose(file);
    return read && memcmp(last, LAST_BYTES, sizeof last) == 0;
}

static int is_plain(OTF2_Reader* archive) {
    OTF2_FileSubstrate substrate;
    OTF2_Compression compression;
    return OTF2_Reader_GetFileSubstrate(archive, &substrate) == OTF2_SUCCESS &&
           OTF2_Reader_GetCompression(archive, &compression) == OTF2_SUCCESS &&
           substrate == OTF2_SUBSTRATE_POSIX && compression == OTF2_COMPRESSION_NONE;
}

/// Returns the path of the anchor with `end` in place of ".otf2"; NULL without memory.
static char* path_of(const char* anchor, const char* end) {
    const char* extension = strrchr(anchor, '.');
    const size_t base = extension == NULL ? strlen(anchor) : (size_t)(extension - anchor);
    char* path = malloc(base + strlen(end) + 1);
    if (path == NULL) return NULL;
    memcpy(path, anchor, base);
    strcpy(path + base, end);
    return path;
}

static int is_whole(const char* anchor, const char* end) {
    char* path = path_of(anchor, end);
    const int whole = path == NULL || ends_with_the_mark(path);
    free(path);
    return whole;
}

int event_file_is_whole(OTF2_Reader* archive, const char* anchor, uint64_t location) {
    if (!is_plain(archive)) return 1;
    const char* const kinds[] = {"evt", "def"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        char end[32];
        snprintf(end, sizeof end, "/%" PRIu64 ".%s", location, kinds[i]);
        if (!is_whole(anchor, end)) return 0;
    }
    return 1;
}

int definitions_are_whole(OTF2_Reader* archive, const char* anchor) {
    return !is_plain(archive) || is_whole(anchor, ".def");
}

uint64_t most_definitions(OTF2_Reader* archive, const char* anchor) {
    char* path = is_plain(archive) ? path_of(anchor, ".def") : NULL;
    FILE* file = path == NULL ? NULL : fopen(path, "rb");
    free(path);
    if (file == NULL) return UINT64_MAX;
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    fclose(file);
    return size < 0 ? UINT64_MAX : (uint64_t)size / LEAST_BYTES_OF_A_RECORD;
}
