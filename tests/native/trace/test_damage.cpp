// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "trace/container_writer.hpp"
#include "trace/shape_codec.hpp"
#include "trace/trace.hpp"
#include "trace/varint.hpp"

namespace linkworth::tests {
namespace {

TEST(Damage, ABlockThatNamesAnImpossibleThreadIsGivenUp) {
    for (const auto& [thread, events] :
         {std::pair{std::uint64_t{tracefile::most_threads - 1}, std::uint64_t{2}},
          std::pair{std::uint64_t{tracefile::most_threads}, std::uint64_t{0}},
          std::pair{~std::uint64_t{0}, std::uint64_t{0}}}) {
        std::vector<std::uint8_t> payload, raw;
        tracefile::encode_shape({}, payload);
        tracefile::append_varint(raw, tracefile::head_shape);
        tracefile::append_varint(raw, payload.size());
        raw.insert(raw.end(), payload.begin(), payload.end());
        for (const std::uint64_t varint :
             {tracefile::head_event, std::uint64_t{5}, std::uint64_t{7}, tracefile::head_thread, thread,
              tracefile::head_event, std::uint64_t{5}, std::uint64_t{7}}) {
            tracefile::append_varint(raw, varint);
        }
        tracefile::ContainerWriter file("", 1);
        file.begin("{}", {"MPI_Init"}, 0, nullptr);
        tracefile::BlockHeader header;
        header.seconds_per_tick = 1e-9;
        header.events = 2;
        file.append(header, raw, nullptr);
        const auto trace = tracefile::Trace::from_bytes(file.close({"MPI_Init"}, 0), "sample");
        auto cursor = trace->cursor(0);
        tracefile::Event event;
        std::uint64_t read = 0;
        while (cursor.next(event)) ++read;
        EXPECT_EQ(read, events);
        EXPECT_EQ(trace->damage().size() + cursor.damage().size(), events == 0 ? 1U : 0U);
    }
}

}  // namespace
}  // namespace linkworth::tests
