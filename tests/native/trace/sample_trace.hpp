// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Traces for tests: every class of call, with fields that differ from event to event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "calls/event.hpp"
#include "trace/writer.hpp"

namespace linkworth::tests {

/// An event as it was given to the writer.
struct WrittenEvent {
    tracefile::Shape shape;
    double gap_seconds = 0;
    double cpu_seconds = -1;
    double duration_seconds = 0;
};

/// A small generator with a fixed sequence (Knuth's MMIX constants), so that failures repeat.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t below(std::uint64_t bound) {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return (state_ >> 33) % bound;
    }

  private:
    std::uint64_t state_;
};

inline tracefile::Shape random_shape(Random& random, std::uint32_t names) {
    using tracefile::CallClass;
    tracefile::Shape shape;
    const auto rank = [&random] { return static_cast<std::int32_t>(random.below(40)); };
    shape.name = static_cast<std::uint32_t>(random.below(names));
    shape.call_class = static_cast<CallClass>(random.below(34));
    const auto counts = [&random] {
        std::vector<std::uint64_t> list(random.below(5));
        for (std::uint64_t& value : list) value = random.below(1U << 20);
        return list;
    };
    switch (shape.call_class) {
        case CallClass::sendrecv:
        case CallClass::isendrecv:
            shape.recv_peer = rank() - 2;
            shape.recv_tag = rank() - 1;
            shape.recv_bytes = random.below(1U << 30);
            [[fallthrough]];
        case CallClass::recv:
        case CallClass::send:
        case CallClass::isend:
        case CallClass::irecv:
        case CallClass::send_init:
        case CallClass::recv_init: {
            shape.comm = rank();
            shape.peer = rank() - 2;
            shape.tag = rank() - 1;
            shape.bytes = random.below(1U << 30) << random.below(20);
            const bool is_pair = shape.call_class == CallClass::sendrecv;
            const std::int32_t from = is_pair ? shape.recv_peer : shape.peer;
            const std::int32_t tag = is_pair ? shape.recv_tag : shape.tag;
            if ((is_pair || shape.call_class == CallClass::recv) && (from == -1 || tag == -1)) {
                shape.actual_peer = rank();
                shape.actual_tag = rank();
            }
            break;
        }
        case CallClass::start: shape.references = counts(); break;
        case CallClass::request_free:
        case CallClass::request_cancel: shape.references = {1 + random.below(9)}; break;
        case CallClass::complete:
            shape.mode = static_cast<tracefile::CompleteMode>(random.below(8));
            shape.listed = static_cast<std::uint32_t>(random.below(9));
            for (std::uint64_t left = random.below(4); left > 0; --left) {
                tracefile::Completion completion;
                completion.reference = 1 + random.below(300);
                completion.was_wildcard = random.below(2) == 1;
                if (completion.was_wildcard) {
                    completion.peer = rank();
                    completion.tag = rank();
                }
                shape.completions.push_back(completion);
            }
            break;
        case CallClass::probe:
            shape.comm = rank();
            shape.peer = rank() - 1;
            shape.tag = rank() - 1;
            shape.found = random.below(2) == 1;
            if (shape.found) {
                shape.actual_peer = rank();
                shape.actual_tag = rank();
            }
            break;
        case CallClass::collective:
        case CallClass::icollective:
        case CallClass::collective_init:
            shape.comm = rank();
            shape.peer = rank() - 1;
            shape.bytes = random.below(1U << 30);
            shape.recv_bytes = random.below(1U << 30);
            shape.element_bytes = static_cast<std::uint32_t>(random.below(64));
            shape.send_counts = counts();
            shape.recv_counts = counts();
            break;
        case CallClass::comm_new:
        case CallClass::icomm_new:
            shape.comm = rank();
            shape.new_comm = rank() - 1;
            shape.inter = random.below(2) == 1;
            shape.members = {rank(), rank(), rank()};
            if (shape.inter) shape.remote_members = {rank()};
            shape.has_topology = random.below(2) == 1;
            if (shape.has_topology) {
                shape.sources.assign(random.below(3), rank() - 2);
                shape.destinations.assign(random.below(3), rank() - 2);
            }
            break;
        case CallClass::comm_free: shape.comm = rank(); break;
        case CallClass::init: shape.code = rank(); break;
        case CallClass::abort:
        case CallClass::pcontrol: shape.code = rank() - 20; break;
        case CallClass::win_new:
            shape.comm = rank();
            shape.new_window = rank() - 1;
            shape.bytes = random.below(1U << 30);
            break;
        case CallClass::win_free: shape.window = rank(); break;
        case CallClass::rma:
        case CallClass::irma:
            shape.operation = static_cast<tracefile::RmaOperation>(random.below(4));
            shape.window = rank();
            shape.peer = rank() - 2;
            shape.bytes = random.below(1U << 30);
            shape.recv_bytes = random.below(1U << 30);
            break;
        case CallClass::win_sync:
            shape.sync = static_cast<tracefile::WindowSync>(random.below(15));
            shape.window = rank();
            shape.peer = rank() - 1;
            shape.found = random.below(2) == 1;
            shape.members.assign(random.below(4), rank());
            break;
        case CallClass::psend_init:
        case CallClass::precv_init:
            shape.comm = rank();
            shape.peer = rank() - 2;
            shape.tag = rank();
            shape.bytes = random.below(1U << 30);
            shape.partitions = static_cast<std::uint32_t>(random.below(100));
            break;
        case CallClass::pready:
            shape.references = {1 + random.below(9)};
            shape.first_partition = static_cast<std::uint32_t>(random.below(100));
            shape.last_partition = shape.first_partition + static_cast<std::uint32_t>(random.below(100));
            break;
        case CallClass::pready_list:
            shape.references = {1 + random.below(9)};
            shape.partition_list.assign(random.below(5), static_cast<std::uint32_t>(random.below(100)));
            break;
        case CallClass::parrived:
            shape.references = {1 + random.below(9)};
            shape.first_partition = static_cast<std::uint32_t>(random.below(100));
            shape.found = random.below(2) == 1;
            break;
        case CallClass::local:
        case CallClass::finalize: break;
    }
    return shape;
}

inline WrittenEvent random_event(Random& random, std::uint32_t names) {
    WrittenEvent event;
    event.shape = random_shape(random, names);
    event.gap_seconds = static_cast<double>(random.below(1U << random.below(31))) * 1e-9;
    event.cpu_seconds = random.below(3) == 0 ? static_cast<double>(random.below(1U << 30)) * 1e-9 : -1.0;
    event.duration_seconds = static_cast<double>(random.below(1U << random.below(31))) * 1e-9;
    return event;
}

struct SampleTrace {
    std::vector<std::vector<WrittenEvent>> events;  ///< by rank
    std::vector<std::byte> bytes;
};

inline SampleTrace sample_trace(std::uint32_t ranks, std::size_t events_per_rank, std::uint64_t seed) {
    Random random(seed);
    SampleTrace sample;
    tracefile::TraceWriter writer("", ranks, R"({"workload":"sample"})");
    constexpr std::uint32_t names = 5;
    for (const char* name :
         {"MPI_Init", "MPI_Iallreduce_c", "MPI_Send", "MPI_Bcast_init", "MPI_Neighbor_alltoall"}) {
        writer.name(name);
    }
    sample.events.resize(ranks);
    // Ranks take turns, so that their blocks mix in the file.
    for (std::size_t turn = 0; turn < events_per_rank; ++turn) {
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            WrittenEvent event = random_event(random, names);
            writer.event(rank, event.shape, event.gap_seconds, event.cpu_seconds, event.duration_seconds);
            sample.events[rank].push_back(std::move(event));
        }
    }
    sample.bytes = writer.close();
    return sample;
}

}  // namespace linkworth::tests
