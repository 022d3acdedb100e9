// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>

#include "sample_trace.hpp"
#include "trace/shape_codec.hpp"
#include "trace/trace.hpp"

namespace linkworth::tests {
namespace {

using tracefile::Completion;
using tracefile::Event;
using tracefile::Shape;
using tracefile::Trace;

void expect_same(const Shape& read, const Shape& written) {
    EXPECT_EQ(read.name, written.name);
    EXPECT_EQ(read.call_class, written.call_class);
    EXPECT_EQ(read.mode, written.mode);
    EXPECT_EQ(read.found, written.found);
    EXPECT_EQ(read.inter, written.inter);
    EXPECT_EQ(read.comm, written.comm);
    EXPECT_EQ(read.peer, written.peer);
    EXPECT_EQ(read.tag, written.tag);
    EXPECT_EQ(read.recv_peer, written.recv_peer);
    EXPECT_EQ(read.recv_tag, written.recv_tag);
    EXPECT_EQ(read.actual_peer, written.actual_peer);
    EXPECT_EQ(read.actual_tag, written.actual_tag);
    EXPECT_EQ(read.new_comm, written.new_comm);
    EXPECT_EQ(read.code, written.code);
    EXPECT_EQ(read.listed, written.listed);
    EXPECT_EQ(read.bytes, written.bytes);
    EXPECT_EQ(read.recv_bytes, written.recv_bytes);
    EXPECT_EQ(read.element_bytes, written.element_bytes);
    EXPECT_EQ(read.send_counts, written.send_counts);
    EXPECT_EQ(read.recv_counts, written.recv_counts);
    EXPECT_EQ(read.references, written.references);
    EXPECT_EQ(read.members, written.members);
    EXPECT_EQ(read.remote_members, written.remote_members);
    EXPECT_EQ(read.has_topology, written.has_topology);
    EXPECT_EQ(read.sources, written.sources);
    EXPECT_EQ(read.destinations, written.destinations);
    EXPECT_EQ(read.operation, written.operation);
    EXPECT_EQ(read.sync, written.sync);
    EXPECT_EQ(read.window, written.window);
    EXPECT_EQ(read.new_window, written.new_window);
    EXPECT_EQ(read.partitions, written.partitions);
    EXPECT_EQ(read.first_partition, written.first_partition);
    EXPECT_EQ(read.last_partition, written.last_partition);
    EXPECT_EQ(read.partition_list, written.partition_list);
    ASSERT_EQ(read.completions.size(), written.completions.size());
    for (std::size_t item = 0; item < read.completions.size(); ++item) {
        EXPECT_EQ(read.completions[item].reference, written.completions[item].reference);
        EXPECT_EQ(read.completions[item].was_wildcard, written.completions[item].was_wildcard);
        EXPECT_EQ(read.completions[item].peer, written.completions[item].peer);
        EXPECT_EQ(read.completions[item].tag, written.completions[item].tag);
    }
}

TEST(RoundTrip, EveryEventComesBackAsWritten) {
    const SampleTrace sample = sample_trace(3, 20000, 7);
    const auto trace = Trace::from_bytes(sample.bytes, "sample");
    EXPECT_EQ(trace->ranks(), 3U);
    EXPECT_EQ(trace->events(), 60000U);
    EXPECT_GT(trace->raw_bytes(), std::uint64_t{3} * 65536) << "several blocks a rank are wanted";
    EXPECT_TRUE(trace->damage().empty());
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        auto cursor = trace->cursor(rank);
        Event event;
        std::uint64_t requests = 0;
        for (const WrittenEvent& written : sample.events[rank]) {
            ASSERT_TRUE(cursor.next(event));
            expect_same(*event.shape, written.shape);
            EXPECT_NEAR(event.gap_seconds, written.gap_seconds, 1e-15);
            EXPECT_NEAR(event.cpu_seconds, written.cpu_seconds, 1e-15);
            EXPECT_NEAR(event.duration_seconds, written.duration_seconds, 1e-15);
            EXPECT_EQ(event.next_request, requests);
            requests += tracefile::makes_request(written.shape.call_class) ? 1 : 0;
            if (HasFailure())
                FAIL() << "rank " << rank << ", class " << static_cast<int>(written.shape.call_class);
        }
        EXPECT_FALSE(cursor.next(event));
        EXPECT_FALSE(cursor.next(event)) << "the end stays the end";
        EXPECT_TRUE(cursor.damage().empty());
    }
}

TEST(RoundTrip, APayloadLongerThanABlockIsKept) {
    tracefile::TraceWriter writer("", 1, "{}");
    Shape shape;
    shape.call_class = tracefile::CallClass::collective;
    shape.name = writer.name("MPI_Alltoallv");
    shape.send_counts.assign(50000, 1U << 20);
    shape.recv_counts.assign(50000, 12345);
    writer.event(0, shape, 0, -1, 1e-3);
    const auto trace = Trace::from_bytes(writer.close(), "sample");
    auto cursor = trace->cursor(0);
    Event event;
    ASSERT_TRUE(cursor.next(event));
    EXPECT_EQ(event.shape->send_counts, shape.send_counts);
    EXPECT_EQ(event.shape->collective, tracefile::Collective::alltoallv);
}

TEST(RoundTrip, NamesMayComeAfterTheFirstFullBlock) {
    tracefile::TraceWriter writer("", 1, "{}");
    Shape shape;
    shape.name = writer.name("MPI_Comm_rank");
    for (int repeat = 0; repeat < 30000; ++repeat) writer.event(0, shape, 1e-3, -1, 1e-3);
    shape.name = writer.name("MPI_Comm_size");
    writer.event(0, shape, 0, -1, 0);
    const auto trace = Trace::from_bytes(writer.close(), "sample");
    EXPECT_EQ(trace->names(), (std::vector<std::string>{"MPI_Comm_rank", "MPI_Comm_size"}));
}

TEST(Writer, RefusesWhatTheFormatCannotHold) {
    tracefile::TraceWriter writer("", 2, "{}");
    Shape shape;
    shape.name = writer.name("MPI_Send");
    EXPECT_THROW(writer.event(2, shape, 0, -1, 0), tracefile::TraceError);
    EXPECT_THROW(writer.event(0, shape, -1, -1, 0), tracefile::TraceError);
    shape.call_class = tracefile::CallClass::send;
    shape.comm = -5;
    EXPECT_THROW(writer.event(0, shape, 0, -1, 0), tracefile::TraceError);
    shape.comm = 0;
    shape.name = 17;
    EXPECT_THROW(writer.event(0, shape, 0, -1, 0), tracefile::TraceError);
    EXPECT_THROW(tracefile::TraceWriter("", 0, "{}"), tracefile::TraceError);
}

}  // namespace
}  // namespace linkworth::tests
