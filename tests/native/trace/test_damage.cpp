// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "profile/scan.hpp"
#include "sample_trace.hpp"
#include "trace/container.hpp"
#include "trace/container_writer.hpp"
#include "trace/shape_codec.hpp"
#include "trace/trace.hpp"
#include "trace/varint.hpp"

namespace linkworth::tests {
namespace {

using tracefile::Event;
using tracefile::Trace;
using tracefile::trace_version;
using tracefile::TraceError;

/// Reads all that can be read: events, and how many sentences say what is lost. No value where the file is
/// refused.
struct Reading {
    std::uint64_t events = 0;
    std::size_t damage = 0;
};

std::optional<Reading> read_all(std::vector<std::byte> bytes) {
    std::shared_ptr<const Trace> trace;
    try {
        trace = Trace::from_bytes(std::move(bytes), "sample");
    } catch (const TraceError& error) {
        EXPECT_GT(std::string(error.what()).size(), 20U);
        return std::nullopt;
    }
    Reading reading;
    reading.damage = trace->damage().size();
    for (std::uint32_t rank = 0; rank < trace->ranks(); ++rank) {
        auto cursor = trace->cursor(rank);
        Event event;
        while (cursor.next(event)) ++reading.events;
        reading.damage += cursor.damage().size();
    }
    profile::scan(*trace, 16);
    return reading;
}

std::size_t before_the_blocks(const std::vector<std::byte>& bytes) {
    const auto header =
        tracefile::decode_trace_header({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()})
            .value();
    return tracefile::header_bytes + header.metadata_bytes + header.names_bytes;
}

TEST(Damage, ACutAtEveryByteIsSurvivedAndSaid) {
    const SampleTrace sample = sample_trace(2, 60, 3);
    const std::uint64_t whole = 120;
    const std::size_t header = before_the_blocks(sample.bytes);
    ASSERT_EQ(read_all(sample.bytes)->events, whole);
    for (std::size_t size = 0; size < sample.bytes.size(); ++size) {
        const std::vector<std::byte> cut(sample.bytes.begin(),
                                         sample.bytes.begin() + static_cast<std::ptrdiff_t>(size));
        const std::optional<Reading> reading = read_all(cut);
        if (!reading) {
            EXPECT_LT(size, header) << "only a cut inside header, metadata or names makes the file useless";
            continue;
        }
        EXPECT_GT(reading->damage, 0U) << "cut at " << size;
        EXPECT_LE(reading->events, whole);
    }
}

TEST(Damage, AMalformedShapeIsRefusedOrUnderstood) {
    Random random(29);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::uint8_t> payload;
        tracefile::Shape shape = random_shape(random, 5);
        tracefile::encode_shape(shape, payload);
        for (int flips = 0; flips < 3; ++flips)
            payload[random.below(payload.size())] = static_cast<std::uint8_t>(random.below(256));
        tracefile::Shape decoded;
        if (tracefile::decode_shape(payload, decoded)) {
            std::vector<std::uint8_t> again;
            tracefile::encode_shape(decoded, again);
            tracefile::Shape twice;
            EXPECT_TRUE(tracefile::decode_shape(again, twice)) << "what is accepted can be written";
        }
    }
}

TEST(Damage, ABlockOfNonsenseWithARightChecksumIsGivenUp) {
    Random random(31);
    const std::vector<std::string> names = {"MPI_Send", "MPI_Alltoallv"};
    for (int round = 0; round < 300; ++round) {
        std::vector<std::uint8_t> raw;
        for (int record = 0; record < 20; ++record) {
            std::vector<std::uint8_t> payload;
            tracefile::encode_shape(random_shape(random, 2), payload);
            tracefile::append_varint(raw, tracefile::head_shape);
            tracefile::append_varint(raw, payload.size());
            raw.insert(raw.end(), payload.begin(), payload.end());
            for (int varint = 0; varint < 3; ++varint) tracefile::append_varint(raw, random.below(60));
        }
        for (std::uint64_t flips = random.below(5); flips > 0; --flips)
            raw[random.below(raw.size())] = static_cast<std::uint8_t>(random.below(256));
        raw.erase(raw.end() - static_cast<std::ptrdiff_t>(random.below(10)), raw.end());
        tracefile::ContainerWriter file("", 1);
        file.begin("{}", names, 0, nullptr);
        tracefile::BlockHeader header;
        header.seconds_per_tick = 1e-9;
        file.append(header, raw, nullptr);
        EXPECT_TRUE(read_all(file.close(names, 0)).has_value());
    }
}

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
        const Reading reading = read_all(file.close({"MPI_Init"}, 0)).value();
        EXPECT_EQ(reading.events, events);
        EXPECT_EQ(reading.damage, events == 0 ? 1U : 0U);
    }
}

TEST(Damage, TheMessagesSayWhatToDo) {
    const auto message = [](std::vector<std::byte> bytes) -> std::string {
        try {
            Trace::from_bytes(std::move(bytes), "x.lwt");
        } catch (const TraceError& error) {
            return error.what();
        }
        return "read";
    };
    EXPECT_EQ(message({}), "x.lwt is empty: record the program again, its trace was never written");
    EXPECT_EQ(message(std::vector<std::byte>(100, std::byte{'a'})),
              "x.lwt is not a linkworth trace: give the .lwt file that `linkworth trace` wrote");
    for (const std::uint32_t other : {trace_version - 1, trace_version + 1}) {
        std::vector<std::byte> written = sample_trace(1, 1, 1).bytes;
        written[8] = static_cast<std::byte>(other);
        EXPECT_EQ(message(written),
                  "x.lwt has trace format version " + std::to_string(other) +
                      ", and this linkworth reads version 6 only: record the program again, or take the "
                      "linkworth that wrote the file");
    }
    std::vector<std::byte> flipped = sample_trace(1, 1, 1).bytes;
    flipped[32] ^= std::byte{4};
    EXPECT_NE(message(flipped).find("has a damaged header"), std::string::npos);
}

}  // namespace
}  // namespace linkworth::tests
