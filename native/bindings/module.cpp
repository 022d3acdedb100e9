// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

namespace linkworth::bindings {
void register_tracefile(nanobind::module_& module);
void register_merge(nanobind::module_& module);
void register_profile(nanobind::module_& module);
void register_collectives(nanobind::module_& module);
void register_replay(nanobind::module_& module);
void register_skeleton(nanobind::module_& module);
void register_scale(nanobind::module_& module);
void register_convert(nanobind::module_& module);
void register_otf2(nanobind::module_& module);
void register_netbench(nanobind::module_& module);
}  // namespace linkworth::bindings

NB_MODULE(_engine, module) {
    module.doc() =
        "The native engine of linkworth: trace files, their replay, and programs recorded without running.";
    linkworth::bindings::register_tracefile(module);
    linkworth::bindings::register_merge(module);
    linkworth::bindings::register_profile(module);
    linkworth::bindings::register_collectives(module);
    linkworth::bindings::register_replay(module);
    linkworth::bindings::register_skeleton(module);
    linkworth::bindings::register_scale(module);
    linkworth::bindings::register_convert(module);
    linkworth::bindings::register_otf2(module);
    linkworth::bindings::register_netbench(module);
}
