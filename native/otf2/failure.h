// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Error that OTF2 reports, kept for the caller instead of printed.
#ifndef LINKWORTH_OTF2_FAILURE_H
#define LINKWORTH_OTF2_FAILURE_H

#include <otf2/otf2.h>

/// Makes OTF2 report its errors here. Call it before anything else.
void failure_listen(void);
/// Returns NULL for OTF2_SUCCESS, else OTF2's message with its name, which lives until the next failure.
const char* failure_of(OTF2_ErrorCode code);
/// Words of our own, kept alike.
const char* failure_say(const char* what);

#endif
