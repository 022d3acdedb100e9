// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A shape's fields as a Python dict, by the names of Shape's members, and back.
#pragma once

#include <nanobind/nanobind.h>

#include "calls/event.hpp"

namespace linkworth::bindings {

/// The fields that the shape's class has.
nanobind::dict shape_to_dict(const tracefile::Shape& shape);

/// Sets the given fields of `shape`, whose class is set. Throws TraceError for a field that the class does
/// not have.
void shape_from_dict(const nanobind::dict& fields, tracefile::Shape& shape);

}  // namespace linkworth::bindings
