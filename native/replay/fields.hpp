// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Fields of structs that mirror those of Python. Reading, checks and results walk these lists.
#pragma once

namespace linkworth::replay {

/// Numbers that the engine can use. Python's declarations are narrower.
enum class Allowed {
    any,
    amount,    ///< finite, 0 or more
    positive,  ///< finite, above 0
    limit,     ///< 0 or more; infinite: no limit
    rate,      ///< so large that the time of any message is finite
    share,     ///< 0 to 1
    count,     ///< 1 or more
};

/// A mirror lists its fields: `Struct::fields(visit)` calls `visit("name", &Struct::name, Allowed::any)` for
/// each.
template <class Struct>
concept Mirror = requires { Struct::fields([](const char*, auto, Allowed) {}); };

}  // namespace linkworth::replay
