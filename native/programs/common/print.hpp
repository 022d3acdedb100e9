// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

#include "outcome.hpp"

namespace linkworth::npb {

/// The result block of the NAS Parallel Benchmarks, line for line as their parsers expect it. A
/// program without classes has its parameters instead of the class.
void print_block(std::FILE* stream, const Outcome& outcome);

/// The same as one JSON document, schema linkworth.npb/1.
void print_json(std::FILE* stream, const Outcome& outcome);

}  // namespace linkworth::npb
