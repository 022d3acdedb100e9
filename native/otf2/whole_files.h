// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Check that an archive's files are whole. OTF2 reads a cut file into memory that it does not clear, and
/// uses the old contents: often the rest of the same file, read or written before. It may read them for ever.
#ifndef LINKWORTH_OTF2_WHOLE_FILES_H
#define LINKWORTH_OTF2_WHOLE_FILES_H

#include <otf2/otf2.h>

/// Return 0 if the file of the events of `location` or that of its definitions ends before OTF2's mark of the
/// end. `anchor` is the path of the archive's .otf2 file. Files that do not exist, and those of archives that
/// are compressed or kept in containers of SIONlib, are left to OTF2.
int event_file_is_whole(OTF2_Reader* archive, const char* anchor, uint64_t location);

/// Return 0 if the file of the archive's own definitions ends before OTF2's mark of the end.
int definitions_are_whole(OTF2_Reader* archive, const char* anchor);

/// Return how many definitions that file can contain. OTF2 misses the end behind a damaged record and goes on
/// in that memory.
uint64_t most_definitions(OTF2_Reader* archive, const char* anchor);

/// Return 0 if the archive's .otf2 file is too short for the properties that it claims. OTF2 allocates and
/// clears memory for them before it reads the first one. A file that cannot be read is left to OTF2.
int anchor_file_fits(const char* path);

#endif
