// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The reading half of the interface.
#ifndef LINKWORTH_OTF2_READ_H
#define LINKWORTH_OTF2_READ_H

#include <otf2/otf2.h>

#include "linkworth_otf2.h"

void read_functions(struct lw_otf2_interface* interface);

/// Registers the listener's `other`, by name, for each kind of event for which `read_event` sets no callback.
/// Generated from the library's header (linkworth.convert.otf2_library), because each version of OTF2 has
/// more of them.
OTF2_ErrorCode listen_to_others(OTF2_GlobalEvtReaderCallbacks* callbacks);

/// Sets the callbacks for the definitions; their user data is a `lw_otf2_definitions`.
OTF2_ErrorCode listen_to_definitions(OTF2_GlobalDefReaderCallbacks* callbacks);

/// User data of the callbacks for the events.
struct reading {
    const struct lw_otf2_listener* listener;
    uint32_t* refs;  ///< room for an event's attributes
    uint64_t* values;
    uint32_t room;
    int stopped;
};

/// Sets the callbacks for the kinds of `lw_otf2_kind`.
OTF2_ErrorCode listen_to_events(OTF2_GlobalEvtReaderCallbacks* callbacks);

#endif
