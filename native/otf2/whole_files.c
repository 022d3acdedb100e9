// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "whole_files.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The file begins with a byte of the buffer, the byte order, "OTF2" with its zero, the formats of anchor and
// trace, three bytes of the version, two sizes of chunks, substrate, compression, and two totals. Three texts
// follow, then the number of properties. A property is two texts, which end with a zero each.
enum {
    BYTE_ORDER_AT = 1,
    FORMAT_AT = 7,
    TEXTS_AT = 46,
    TEXTS = 3,
    FIRST_FORMAT_WITH_PROPERTIES = 2,
    LITTLE_ENDIAN_MARK = 0x42,
    LEAST_BYTES_OF_A_PROPERTY = 2
};

static int is_counted(FILE* file) {
    unsigned char header[TEXTS_AT];
    if (fread(header, sizeof header, 1, file) != 1 || header[FORMAT_AT] < FIRST_FORMAT_WITH_PROPERTIES)
        return 1;
    for (int left = TEXTS; left > 0;) {
        const int byte = getc(file);
        if (byte == EOF) return 1;
        left -= byte == '\0';
    }
    unsigned char bytes[4];
    if (fread(bytes, sizeof bytes, 1, file) != 1) return 1;
    uint32_t count = 0;
    for (int i = 0; i < 4; ++i)
        count = count << 8 | bytes[header[BYTE_ORDER_AT] == LITTLE_ENDIAN_MARK ? 3 - i : i];
    const long at = ftell(file);
    if (at < 0 || fseek(file, 0, SEEK_END) != 0) return 1;
    return count <= (uint64_t)(ftell(file) - at) / LEAST_BYTES_OF_A_PROPERTY;
}

int anchor_file_fits(const char* path) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) return 1;
    const int fits = is_counted(file);
    fclose(file);
    return fits;
}

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
