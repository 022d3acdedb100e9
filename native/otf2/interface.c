// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "linkworth_otf2.h"
#include "read.h"
#include "write.h"

const struct lw_otf2_interface* linkworth_otf2(void) {
    static struct lw_otf2_interface interface;
    if (interface.version == 0) {
        write_functions(&interface);
        read_functions(&interface);
        interface.version = LW_OTF2_INTERFACE;
    }
    return &interface;
}
