// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Check that the numbers in an archive's .otf2 file fit its size. OTF2 allocates and clears memory for as
/// many properties as the file claims, before it reads the first one.
#ifndef LINKWORTH_OTF2_ANCHOR_FILE_H
#define LINKWORTH_OTF2_ANCHOR_FILE_H

/// 0 if the file at `path` is too short for its properties. A file that cannot be read is left to OTF2.
int anchor_file_fits(const char* path);

#endif
