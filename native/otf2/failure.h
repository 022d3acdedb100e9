// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Error that OTF2 reports, kept for the caller instead of printed.
#ifndef LINKWORTH_OTF2_FAILURE_H
#define LINKWORTH_OTF2_FAILURE_H

#include <otf2/otf2.h>

/// Has OTF2 tell its errors here. To be called before anything else.
void failure_listen(void);
/// NULL for OTF2_SUCCESS, else what OTF2 says, with its name; it lives until the next failure.
const char* failure_of(OTF2_ErrorCode code);
/// Words of our own, kept alike.
const char* failure_say(const char* what);

#endif
