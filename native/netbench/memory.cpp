// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <unistd.h>

namespace linkworth::netbench {

double machine_memory() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace linkworth::netbench
