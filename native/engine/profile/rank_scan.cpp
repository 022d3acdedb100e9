// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/rank_scan.hpp"

#include "tracefile/names.hpp"

namespace linkworth::profile {

using tracefile::CallClass;
using tracefile::Collective;
using tracefile::Event;
using tracefile::Shape;

RankScan::RankScan(const tracefile::Trace& trace, std::uint32_t rank, Scan& scan)
    : trace_(trace),
      rank_(rank),
      scan_(scan),
      times_(scan.ranks[rank]),
      communicators_(static_cast<std::int32_t>(rank), trace.ranks()),
      not_modelled_(trace.names().size(), 0) {}

std::size_t RankScan::KeyHash::operator()(const CollectiveKey& key) const {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
    std::uint64_t hash = key.call.bytes * odd;
    hash = (hash ^ static_cast<std::uint64_t>(key.group)) * odd;
    hash = (hash ^ static_cast<std::uint64_t>(key.call.root)) * odd;
    return (hash ^ static_cast<std::uint64_t>(key.call.collective)) * odd;
}

void RankScan::run() {
    tracefile::RankCursor cursor = trace_.cursor(rank_);
    Event event;
    while (cursor.next(event)) {
        take_times(event);
        CallTotals& totals = scan_.calls[event.shape->name];
        ++totals.count;
        totals.seconds += event.duration_seconds;
        totals.bytes += take_call(event);
    }
    flush_collectives();
    for (std::size_t name = 0; name < not_modelled_.size(); ++name) {
        if (not_modelled_[name] > 0 && tracefile::communicates(trace_.names()[name])) {
            scan_.unmodelled[trace_.names()[name]] += not_modelled_[name];
        }
    }
    scan_.damage.insert(scan_.damage.end(), cursor.damage().begin(), cursor.damage().end());
}

void RankScan::take_times(const Event& event) {
    ++times_.events;
    const CallClass call_class = event.shape->call_class;
    if (call_class == CallClass::init) {
        times_.before_init += event.gap_seconds;
        times_.init += event.duration_seconds;
        return;
    }
    const bool has_cpu = event.cpu_seconds >= 0;
    const double compute = has_cpu ? event.cpu_seconds : event.gap_seconds;
    times_.compute += compute;
    times_.compute_wall += event.gap_seconds;
    if (has_cpu && event.cpu_seconds < event.gap_seconds) {
        times_.descheduled += event.gap_seconds - event.cpu_seconds;
    }
    (call_class == CallClass::finalize ? times_.init : times_.communication) += event.duration_seconds;
    if (in_marked_region_) {
        times_.marked += event.gap_seconds + event.duration_seconds;
        times_.marked_compute += compute;
    }
    if (call_class == CallClass::pcontrol) {
        in_marked_region_ = event.shape->code > 0;
    }
}

std::uint64_t RankScan::take_call(const Event& event) {
    const Shape& shape = *event.shape;
    switch (shape.call_class) {
        case CallClass::send:
        case CallClass::isend:
        case CallClass::sendrecv:
        case CallClass::isendrecv:
            send(shape);
            return shape.bytes;
        case CallClass::recv:
        case CallClass::irecv:
            return shape.bytes;
        case CallClass::collective:
        case CallClass::icollective:
            return collective(shape);
        case CallClass::send_init:
        case CallClass::recv_init:
        case CallClass::collective_init:
        case CallClass::psend_init:
        case CallClass::precv_init:
            persistent_[event.next_request] = shape;
            return 0;
        case CallClass::start:
            return start(event);
        case CallClass::request_free:
            if (!shape.references.empty()) {
                persistent_.erase(event.next_request - shape.references.front());
            }
            return 0;
        case CallClass::comm_new:
        case CallClass::icomm_new:
            communicators_.define(shape);
            return 0;
        case CallClass::win_new:
            windows_[shape.new_window] = communicators_.group_of(shape.comm);
            return 0;
        case CallClass::win_free:
            windows_.erase(shape.window);
            return 0;
        case CallClass::rma:
        case CallClass::irma:
            return access(shape);
        case CallClass::local:
            not_modelled(shape);
            return 0;
        default:
            return 0;
    }
}

void RankScan::send(const Shape& shape) { send_times(shape, 1); }

void RankScan::send_times(const Shape& shape, std::uint64_t times) {
    const std::ptrdiff_t group = communicators_.group_of(shape.comm);
    if (group < 0) {
        return;
    }
    const std::int32_t to = communicators_.group(group).world_rank(shape.peer);
    if (to >= 0) {
        scan_.traffic.add(static_cast<std::int32_t>(rank_), to, shape.bytes, times);
    }
}

/// What is put or accumulated goes to the target; what is got comes from it.
std::uint64_t RankScan::access(const Shape& shape) {
    const auto window = windows_.find(shape.window);
    if (window != windows_.end() && window->second >= 0) {
        const auto own = static_cast<std::int32_t>(rank_);
        const std::int32_t target = communicators_.group(window->second).world_rank(shape.peer);
        if (target >= 0 && shape.operation != tracefile::RmaOperation::get) {
            scan_.traffic.add(own, target, shape.bytes);
        }
        if (target >= 0 && (shape.operation == tracefile::RmaOperation::get ||
                            shape.operation == tracefile::RmaOperation::fetch)) {
            scan_.traffic.add(target, own, shape.recv_bytes);
        }
    }
    return shape.bytes + shape.recv_bytes;
}

std::uint64_t RankScan::collective(const Shape& shape) {
    const std::ptrdiff_t index = communicators_.group_of(shape.comm);
    if (shape.collective == Collective::none || (index >= 0 && communicators_.group(index).inter)) {
        not_modelled(shape);
    } else if (index < 0) {
        return shape.bytes;
    } else if (is_uniform(shape.collective)) {
        ++collectives_[{index, {shape.collective, shape.peer, shape.bytes}}];
    } else {
        const Group& group = communicators_.group(index);
        const bool global = is_global(shape.collective);
        listed_messages(shape, group, [this, &group, global](std::int32_t peer, std::uint64_t bytes) {
            scan_.global_bytes += global ? bytes : 0;
            scan_.traffic.add(static_cast<std::int32_t>(rank_), group.world_rank(peer), bytes);
        });
    }
    return shape.bytes;
}

std::uint64_t RankScan::start(const Event& event) {
    std::uint64_t bytes = 0;
    for (const std::uint64_t reference : event.shape->references) {
        const auto request = persistent_.find(event.next_request - reference);
        if (request == persistent_.end()) {
            continue;
        }
        const Shape& shape = request->second;
        const bool partitioned =
            shape.call_class == CallClass::psend_init || shape.call_class == CallClass::precv_init;
        const std::uint64_t pieces = partitioned ? shape.partitions : 1;
        bytes += shape.bytes * pieces;
        if (shape.call_class == CallClass::psend_init) {
            send_times(shape, pieces);
        } else if (shape.call_class == CallClass::send_init) {
            send(shape);
        } else if (shape.call_class == CallClass::collective_init) {
            collective(shape);
        }
    }
    return bytes;
}

void RankScan::flush_collectives() {
    for (const auto& [key, times] : collectives_) {
        const Group& group = communicators_.group(key.group);
        const std::uint64_t calls = times;
        const bool global = is_global(key.call.collective);
        uniform_messages(
            key.call, group, [this, &group, calls, global](std::int32_t peer, std::uint64_t bytes) {
                scan_.global_bytes += global ? calls * bytes : 0;
                scan_.traffic.add(static_cast<std::int32_t>(rank_), group.world_rank(peer), bytes, calls);
            });
    }
}

void RankScan::not_modelled(const Shape& shape) { ++not_modelled_[shape.name]; }

}  // namespace linkworth::profile
