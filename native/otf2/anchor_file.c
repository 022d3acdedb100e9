// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "anchor_file.h"

#include <stdint.h>
#include <stdio.h>

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
