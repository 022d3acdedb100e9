// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Declarations that the generated wrappers use.
#ifndef LINKWORTH_WRAPPERS_H
#define LINKWORTH_WRAPPERS_H

#include "collective.h"
#include "communicator.h"
#include "datatype.h"
#include "lifecycle.h"
#include "partitioned.h"
#include "point_to_point.h"
#include "session.h"
#include "window.h"
#include "wrapper.h"
#include "yield.h"

#define LW_EXPORTED __attribute__((visibility("default")))
#define LW_HIDDEN __attribute__((visibility("hidden")))
/// A jump and no call, however this is compiled: what it leads to looks for the program's return address.
#ifdef __clang__
#define LW_JUMP
#else
#define LW_JUMP \
    __attribute__((optimize("optimize-sibling-calls"), no_sanitize("thread", "address", "undefined")))
#endif

#endif
