// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

namespace linkworth::bindings {

void register_replay(nanobind::module_& module);

void register_replay(nanobind::module_&) {}

}  // namespace linkworth::bindings
