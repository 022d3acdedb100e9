// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "skeleton/registry.hpp"

/// Each program has a namespace, with its entry of the registry.
namespace linkworth::skeleton {

namespace bt {
Skeleton entry();
}
namespace cg {
Skeleton entry();
}
namespace ep {
Skeleton entry();
}
namespace ft {
Skeleton entry();
}
namespace is {
Skeleton entry();
}
namespace lu {
Skeleton entry();
}
namespace mg {
Skeleton entry();
}
namespace sp {
Skeleton entry();
}
namespace imbalance {
Skeleton entry();
}
namespace stencil {
Skeleton entry();
}

}  // namespace linkworth::skeleton
