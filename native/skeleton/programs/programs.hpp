// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "skeleton/registry.hpp"

/// Each program's entry of the registry.
namespace linkworth::skeleton {

Skeleton bt();
Skeleton cg();
Skeleton ep();
Skeleton ft();
Skeleton is();
Skeleton lu();
Skeleton mg();
Skeleton sp();
Skeleton imbalance();
Skeleton stencil();

}  // namespace linkworth::skeleton
