// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exercise.hpp"
#include "program.hpp"
#include "signed_file.hpp"

// libFuzzer's own mutation.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto* bytes = reinterpret_cast<const std::byte*>(data);
    linkworth::tests::exercise({bytes, bytes + size});
    return 0;
}

/// Changes a trace and signs it again; begins with a program of the seed.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
    using namespace linkworth::tests;
    if (size < linkworth::tracefile::header_bytes) {
        std::vector<std::uint8_t> program;
        for (unsigned int state = seed; program.size() < 64; state = state * 1664525U + 1013904223U)
            program.push_back(static_cast<std::uint8_t>(state >> 24U));
        try {
            const auto made = uncompressed(ProgramOfBytes(program).trace());
            if (made.size() > most) return size;
            std::transform(made.begin(), made.end(), data,
                           [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
            return made.size();
        } catch (const linkworth::tracefile::TraceError&) {
            return size;
        }
    }
    size = LLVMFuzzerMutate(data, size, most);
    // One in eight keeps its damage.
    if (seed % 8 != 0) sign({data, size});
    return size;
}
