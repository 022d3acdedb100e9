// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "event_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "End of the file" and "end of the chunk", as OTF2 1.0 to 3.0 write them.
static const unsigned char LAST_BYTES[] = {0x02, 0x01};

static int ends_with_the_mark(const char* path) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) return 1;
    unsigned char last[sizeof LAST_BYTES];
    const int read = fseek(file, -(long)sizeof last, SEEK_END) == 0 && fread(last, sizeof last, 1, file) == 1;
    fclose(file);
    return read && memcmp(last, LAST_BYTES, sizeof last) == 0;
}

int event_file_is_whole(OTF2_Reader* archive, const char* anchor, uint64_t location) {
    OTF2_FileSubstrate substrate;
    OTF2_Compression compression;
    if (OTF2_Reader_GetFileSubstrate(archive, &substrate) != OTF2_SUCCESS ||
        OTF2_Reader_GetCompression(archive, &compression) != OTF2_SUCCESS ||
        substrate != OTF2_SUBSTRATE_POSIX || compression != OTF2_COMPRESSION_NONE)
        return 1;
    const char* extension = strrchr(anchor, '.');
    const int base = extension == NULL ? (int)strlen(anchor) : (int)(extension - anchor);
    const char* const kinds[] = {"evt", "def"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        const int length = snprintf(NULL, 0, "%.*s/%" PRIu64 ".%s", base, anchor, location, kinds[i]);
        char* path = malloc((size_t)length + 1);
        if (path == NULL) return 1;
        snprintf(path, (size_t)length + 1, "%.*s/%" PRIu64 ".%s", base, anchor, location, kinds[i]);
        const int whole = ends_with_the_mark(path);
        free(path);
        if (!whole) return 0;
    }
    return 1;
}
