// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Turns bytes into the trace of a program: mostly calls that fit each other, between them calls that do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "calls/event.hpp"
#include "calls/names.hpp"
#include "trace/writer.hpp"

namespace linkworth::tests {

class ProgramOfBytes {
  public:
    explicit ProgramOfBytes(std::span<const std::uint8_t> bytes)
        : left_(bytes), ranks_(1 + next() % 6), writer_("", ranks_, "{}"), comms_(ranks_, 2) {}

    std::vector<std::byte> trace() {
        for (std::uint32_t rank = 0; rank < ranks_; ++rank) call(rank, "MPI_Init", CallClass::init);
        while (!left_.empty()) step();
        for (std::uint32_t rank = 0; rank < ranks_; ++rank) call(rank, "MPI_Finalize", CallClass::finalize);
        return writer_.close();
    }

  private:
    using CallClass = tracefile::CallClass;
    using Shape = tracefile::Shape;

    std::uint8_t next() {
        if (left_.empty()) return 0;
        const std::uint8_t byte = left_.front();
        left_ = left_.subspan(1);
        return byte;
    }
    std::int32_t small() { return static_cast<std::int32_t>(next() % 8) - 3; }
    /// Around the limits of protocols and algorithms, and beyond what there can be.
    std::uint64_t size() {
        const std::uint8_t byte = next();
        return (std::uint64_t{1} << (byte % 64)) - byte / 64;
    }
    std::uint32_t some_rank() { return next() % ranks_; }

    void call(std::uint32_t rank, const std::string& name, CallClass kind, Shape shape = {}) {
        shape.name = writer_.name(name);
        shape.call_class = kind;
        const double gap = next() % 4 * 1e-6;
        writer_.event(rank, shape, gap, next() % 2 == 0 ? gap / 2 : -1, 1e-6);
    }

    void step() {
        switch (next() % 10) {
            case 0:
            case 1: return message();
            case 2:
            case 3: return collective();
            case 4: return communicator();
            case 5: return nonblocking();
            case 6: return one_sided();
            case 7: return partitioned();
            default: return anything();
        }
    }

    void message() {
        static const std::vector<std::string> names = {"MPI_Send", "MPI_Ssend", "MPI_Bsend"};
        const std::uint32_t from = some_rank();
        const std::uint32_t to = some_rank();
        Shape shape;
        shape.bytes = size();
        shape.tag = small() & 3;
        shape.peer = static_cast<std::int32_t>(to);
        call(from, names[next() % names.size()], CallClass::send, shape);
        const bool wild = next() % 4 == 0;
        shape.peer = wild ? tracefile::any_source : static_cast<std::int32_t>(from);
        shape.actual_peer = static_cast<std::int32_t>(from);
        shape.actual_tag = shape.tag;
        call(to, "MPI_Recv", CallClass::recv, shape);
    }

    Shape collective_shape(tracefile::Collective what) {
        Shape shape;
        shape.collective = what;
        shape.peer = static_cast<std::int32_t>(some_rank());
        shape.comm = next() % 4;
        shape.bytes = size();
        shape.recv_bytes = next() % 2 == 0 ? shape.bytes : size();
        shape.element_bytes = next() % 17;
        const std::size_t entries = next() % 8 == 0 ? next() % 9 : ranks_;
        shape.send_counts.assign(entries, size());
        shape.recv_counts.assign(entries, shape.send_counts.empty() ? 0 : shape.send_counts.front());
        return shape;
    }

    void collective() {
        const auto what = static_cast<tracefile::Collective>(1 + next() % 22);
        const std::string name = "MPI_" + std::string(tracefile::collective_name(what));
        const std::uint8_t form = next();
        const Shape shape = collective_shape(what);
        const std::uint32_t skipped = form % 16 == 0 ? some_rank() : ranks_;
        for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
            if (rank == skipped) continue;
            if (form % 4 == 0) {
                call(rank, "MPI_I" + std::string(tracefile::collective_name(what)), CallClass::icollective,
                     shape);
                complete(rank, 1);
            } else {
                call(rank, name, CallClass::collective, shape);
            }
        }
    }

    void complete(std::uint32_t rank, std::uint64_t reference) {
        Shape shape;
        shape.mode = static_cast<tracefile::CompleteMode>(next() % 8);
        shape.listed = 1;
        shape.completions.push_back({reference, next() % 4 == 0, small(), small()});
        call(rank, "MPI_Wait", CallClass::complete, shape);
    }

    void communicator() {
        Shape shape;
        const std::uint8_t choice = next();
        shape.inter = choice % 4 == 0;
        for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
            auto& group = shape.inter && rank % 2 == 1 ? shape.remote_members : shape.members;
            if (choice % 3 != 0 || rank % 2 == 0 || shape.inter)
                group.push_back(static_cast<std::int32_t>(rank));
        }
        for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
            Shape own = shape;
            own.has_topology = choice % 8 == 3;
            if (own.has_topology) own.sources = own.destinations = {static_cast<std::int32_t>(some_rank())};
            if (shape.inter && rank % 2 == 1) std::swap(own.members, own.remote_members);
            own.new_comm = next() % 16 == 0 ? small() : comms_[rank]++;
            call(rank, "MPI_Comm_split", next() % 8 == 0 ? CallClass::icomm_new : CallClass::comm_new, own);
        }
    }

    void nonblocking() {
        const std::uint32_t from = some_rank();
        const std::uint32_t to = some_rank();
        const bool persistent = next() % 2 == 0;
        Shape shape;
        shape.bytes = size();
        shape.peer = static_cast<std::int32_t>(to);
        call(from, "MPI_Isend", persistent ? CallClass::send_init : CallClass::isend, shape);
        shape.peer = next() % 4 == 0 ? tracefile::any_source : static_cast<std::int32_t>(from);
        call(to, "MPI_Irecv", persistent ? CallClass::recv_init : CallClass::irecv, shape);
        for (const std::uint32_t rank : {from, to}) {
            if (persistent) {
                Shape start;
                start.references = {1};
                call(rank, "MPI_Start", CallClass::start, start);
            }
            complete(rank, 1);
        }
    }

    void window_call(std::uint32_t rank, tracefile::WindowSync sync, std::int32_t target, bool flag = false) {
        Shape shape;
        shape.sync = sync;
        shape.window = windows_ - 1;
        shape.peer = target;
        shape.found = flag;
        shape.members = {target};
        call(rank, "MPI_Win_fence", CallClass::win_sync, shape);
    }

    /// A window of all ranks, accesses and what ends them.
    void one_sided() {
        using tracefile::WindowSync;
        Shape shape;
        if (windows_ == 0 || next() % 4 == 0) {
            shape.new_window = windows_++;
            for (std::uint32_t rank = 0; rank < ranks_; ++rank)
                call(rank, "MPI_Win_create", CallClass::win_new, shape);
        }
        const std::uint32_t origin = some_rank();
        const auto target = static_cast<std::int32_t>(some_rank());
        const std::uint8_t form = next();
        if (form % 4 == 1) window_call(origin, WindowSync::lock, target, next() % 2 == 0);
        if (form % 4 == 2) window_call(origin, WindowSync::lock_all, -1);
        if (form % 4 == 3) {
            window_call(static_cast<std::uint32_t>(target), WindowSync::post,
                        static_cast<std::int32_t>(origin));
            window_call(origin, WindowSync::start, target);
        }
        shape.window = windows_ - 1;
        shape.operation = static_cast<tracefile::RmaOperation>(next() % 4);
        shape.peer = target;
        shape.bytes = size();
        shape.recv_bytes = size();
        const bool request = next() % 4 == 0;
        call(origin, "MPI_Put", request ? CallClass::irma : CallClass::rma, shape);
        if (next() % 4 == 0) window_call(origin, static_cast<WindowSync>(10 + next() % 4), target);
        if (request && next() % 4 != 0) complete(origin, 1);
        if (form % 4 == 1) window_call(origin, WindowSync::unlock, target);
        if (form % 4 == 2) window_call(origin, WindowSync::unlock_all, -1);
        if (form % 4 == 3) {
            window_call(origin, WindowSync::complete, -1);
            window_call(static_cast<std::uint32_t>(target), WindowSync::wait, -1);
        }
        if (form % 4 == 0)
            for (std::uint32_t rank = 0; rank < ranks_; ++rank) window_call(rank, WindowSync::fence, -1);
    }

    void partitioned() {
        const std::uint32_t from = some_rank();
        const std::uint32_t to = some_rank();
        Shape shape;
        shape.bytes = size() >> 16U;
        shape.tag = small() & 3;
        shape.partitions = next() % 9;
        shape.peer = static_cast<std::int32_t>(to);
        Shape start;
        start.references = {1};
        Shape ready = start;
        ready.last_partition = next() % 16 == 0 ? next() : shape.partitions - 1;
        call(from, "MPI_Psend_init", CallClass::psend_init, shape);
        for (std::uint8_t rounds = next() % 3; rounds > 0; --rounds) {
            call(from, "MPI_Start", CallClass::start, start);
            if (shape.partitions > 0) call(from, "MPI_Pready_range", CallClass::pready, ready);
            if (from != to) complete(from, 1);
        }
        shape.peer = static_cast<std::int32_t>(from);
        if (next() % 4 == 0) shape.partitions = next() % 5;
        call(to, "MPI_Precv_init", CallClass::precv_init, shape);
        for (std::uint8_t rounds = next() % 3; rounds > 0; --rounds) {
            call(to, "MPI_Start", CallClass::start, start);
            Shape arrived = start;
            arrived.first_partition = next() % 4;
            arrived.found = next() % 4 == 0;
            call(to, "MPI_Parrived", CallClass::parrived, arrived);
            complete(to, 1);
        }
    }

    /// One rank makes a call that no other rank matches.
    void anything() {
        static const std::vector<std::string> names = {
            "MPI_Put", "MPI_Isend", "MPI_Ibarrier", "MPI_Neighbor_alltoall", "MPI_Comm_rank", "MPI_Waitany"};
        Shape shape;
        const auto kind = static_cast<CallClass>(next() % 34);
        shape.comm = next() % 5;
        shape.peer = small();
        shape.tag = small();
        shape.recv_peer = small();
        shape.recv_tag = small();
        shape.actual_peer = small();
        shape.actual_tag = small();
        shape.bytes = size();
        shape.recv_bytes = size();
        shape.found = next() % 2 == 0;
        shape.code = small();
        shape.new_comm = small();
        shape.members = {small(), small()};
        shape.references = {next() % 5U, next() % 5U};
        shape.window = next() % 3;
        shape.new_window = small();
        shape.operation = static_cast<tracefile::RmaOperation>(next() % 4);
        shape.sync = static_cast<tracefile::WindowSync>(next() % 15);
        shape.partitions = next();
        shape.first_partition = next();
        shape.last_partition = next();
        shape.partition_list = {next(), next()};
        shape.has_topology = next() % 4 == 0;
        shape.sources = shape.destinations = {small(), small()};
        if (kind == CallClass::complete)
            shape.completions.push_back({next() % 5U, next() % 2 == 0, small(), small()});
        call(some_rank(), names[next() % names.size()], kind, shape);
    }

    std::span<const std::uint8_t> left_;
    std::uint32_t ranks_;
    tracefile::TraceWriter writer_;
    std::vector<std::int32_t> comms_;  ///< number of the next communicator, by rank
    std::int32_t windows_ = 0;
};

}  // namespace linkworth::tests
