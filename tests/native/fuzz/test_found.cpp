// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Every input on which a fuzzer found a fault, once more: `found/<target>/<what it was>`.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "exercise.hpp"
#include "program.hpp"
#include "signed_file.hpp"

namespace linkworth::tests {
namespace {

std::vector<std::vector<std::uint8_t>> found(const char* target) {
    std::vector<std::vector<std::uint8_t>> inputs;
    const std::filesystem::path folder = std::filesystem::path(LINKWORTH_FUZZ_FOUND) / target;
    if (!std::filesystem::is_directory(folder)) return inputs;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return inputs;
}

TEST(Found, ProgramsAreReadReplayedAndConvertedOrRefused) {
    const auto inputs = found("program");
    ASSERT_FALSE(inputs.empty());
    for (const auto& input : inputs) EXPECT_NO_THROW(exercise(ProgramOfBytes(input).trace()));
}

TEST(Found, TraceFilesAreReadReplayedAndConvertedOrRefused) {
    for (const auto& input : found("trace_file")) {
        const auto* bytes = reinterpret_cast<const std::byte*>(input.data());
        EXPECT_NO_THROW(exercise({bytes, bytes + input.size()}));
    }
}

// The seed of the file target must be valid. Otherwise only the refusal of bad files would be fuzzed.
TEST(Seeds, SigningPutsRightWhatAChangeBroke) {
    const std::vector<std::uint8_t> program = {3, 0, 0, 1, 10, 2, 0, 1, 2, 0, 5, 1, 1, 30, 0, 0, 0, 0, 0};
    auto bytes = uncompressed(ProgramOfBytes(program).trace());
    const auto events = tracefile::Trace::from_bytes(bytes, "seed")->events();
    EXPECT_GE(events, 8U);
    const std::span<std::uint8_t> file(reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size());
    const std::size_t in_first_block = file.size() - tracefile::trailer_bytes - 8;
    file[in_first_block] = static_cast<std::uint8_t>(file[in_first_block] ^ 0x40U);
    constexpr std::size_t in_flags = 12;
    file[in_flags] = static_cast<std::uint8_t>(file[in_flags] ^ 2U);
    sign(file);
    const auto again = tracefile::Trace::from_bytes(bytes, "signed");
    EXPECT_EQ(again->ranks(), 4U);
    EXPECT_GT(again->events() + again->damage().size(), 0U);
}

}  // namespace
}  // namespace linkworth::tests
