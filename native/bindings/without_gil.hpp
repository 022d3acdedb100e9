// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Work of the engine beside other Python threads.
#pragma once

#include <nanobind/nanobind.h>

namespace linkworth::bindings {

/// Returns what `work` returns, without Python's lock. `work` touches no Python object.
template <class Work>
auto without_gil(Work work) {
    const nanobind::gil_scoped_release released;
    return work();
}

}  // namespace linkworth::bindings
