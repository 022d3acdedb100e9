// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Reading an archive's definitions.
#ifndef LINKWORTH_OTF2_READ_DEFINITIONS_H
#define LINKWORTH_OTF2_READ_DEFINITIONS_H

#include <otf2/otf2.h>

#include "linkworth_otf2.h"
#include "text_table.h"

/// User data of the callbacks.
struct defining {
    const struct lw_otf2_definitions* listener;
    struct text_table strings;
    struct text_table nodes;  ///< names of the nodes of the system tree
};

OTF2_ErrorCode listen_to_definitions(OTF2_GlobalDefReaderCallbacks* callbacks);

#endif
