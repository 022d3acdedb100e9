// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "exercise.hpp"
#include "program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace linkworth;
    try {
        tests::exercise(tests::ProgramOfBytes({data, size}).trace());
    } catch (const tracefile::TraceError&) {
        return 0;  // a call that the format cannot hold
    }
    return 0;
}
