// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Effect of one rank's calls on waiting: which of them sends, receives, completes or meets.
#include <cstdint>
#include <span>

#include "profile/rank_scan.hpp"

namespace linkworth::profile {

using tracefile::CallClass;
using tracefile::Shape;

Channel* RankScan::channel(const replay::Communicator* communicator, std::int32_t peer, bool to_peer) {
    if (communicator == nullptr || !communicator->has_peer(peer)) return nullptr;
    const std::uint32_t other = communicator->world_rank(peer);
    // Both sides of an inter-communicator have the union of its groups.
    const std::uint32_t context = communicator->inter ? communicator->both->context : communicator->context;
    return to_peer ? &scan_.waits.channel(context, rank_, other)
                   : &scan_.waits.channel(context, other, rank_);
}

void RankScan::match(Use& use, const Shape& shape, double start, double end) {
    switch (use.call_class) {
        case CallClass::sendrecv: {
            const bool any = tracefile::is_wildcard(shape.recv_peer, shape.recv_tag);
            completed_.clear();
            if (use.to != nullptr) {
                completed_.push_back(scan_.waits.request());
                scan_.waits.send(*use.to,
                                 {start, end, shape.name, shape.tag, completed_.back(), use.protocol});
            }
            if (use.from != nullptr) {
                completed_.push_back(scan_.waits.request());
                const std::int32_t tag = any ? shape.actual_tag : shape.recv_tag;
                scan_.waits.receive(*use.from, {start, end, shape.name, tag, completed_.back(), 0});
            }
            scan_.waits.complete(rank_, shape.name, start, end, completed_);
            break;
        }
        case CallClass::isend:
        case CallClass::irecv: post(use, shape, next_request_, start); break;
        case CallClass::isendrecv: post_both(use, shape, next_request_, start); break;
        case CallClass::send_init:
        case CallClass::recv_init:
        case CallClass::psend_init:
        case CallClass::precv_init:
        case CallClass::collective_init: {
            Persistent& made = persistent_[next_request_];
            made = {shape, use};
            made.use.shape = &made.shape;
            break;
        }
        case CallClass::start: start_all(use, shape, start); break;
        case CallClass::request_free:
            if (!shape.references.empty()) {
                persistent_.erase(next_request_ - shape.references.front());
                cancel(shape);
            }
            break;
        case CallClass::request_cancel: cancel(shape); break;
        case CallClass::collective:
            if (use.meetings != nullptr) {
                scan_.waits.meet(*use.meetings, {static_cast<std::int32_t>(use.member.my_rank), shape.peer,
                                                 shape.collective, shape.name, start, end});
            }
            break;
        case CallClass::comm_new:
        case CallClass::icomm_new: define(use, shape); break;
        case CallClass::win_new:
            windows_[shape.new_window] = communicator(shape.comm);
            if (shape.new_window >= 0) agree(use, shape, communicators_.find(rank_, shape.comm));
            break;
        case CallClass::win_free: windows_.erase(shape.window); break;
        case CallClass::pcontrol: mark(shape.code > 0); break;
        default: break;
    }
}

void RankScan::post(const Use& use, const Shape& shape, std::uint64_t number, double start) {
    const bool sends = use.to != nullptr;
    Channel* const channel = sends ? use.to : use.from;
    const bool is_receive = shape.call_class == CallClass::irecv || shape.call_class == CallClass::recv_init;
    const bool wildcard = is_receive && tracefile::is_wildcard(shape.peer, shape.tag);
    if (channel == nullptr && !wildcard) return;  // MPI_PROC_NULL
    const std::uint32_t slot = scan_.waits.request();
    requests_.put({number, slot, shape.comm, start});
    const Half half{start, start, shape.name, shape.tag, slot, use.protocol};
    if (sends)
        scan_.waits.send(*channel, half);
    else if (!wildcard)
        scan_.waits.receive(*channel, half);
}

// A request of two messages: the calls that wait for it are taken to wait for the one that it receives.
void RankScan::post_both(const Use& use, const Shape& shape, std::uint64_t number, double start) {
    if (use.to != nullptr) {
        const std::uint32_t slot = scan_.waits.request();
        scan_.waits.send(*use.to, {start, start, shape.name, shape.tag, slot, use.protocol});
        scan_.waits.complete(rank_, shape.name, start, start, std::span(&slot, 1));
    }
    const bool wildcard = tracefile::is_wildcard(shape.recv_peer, shape.recv_tag);
    if (use.from != nullptr || wildcard) {
        const std::uint32_t slot = scan_.waits.request();
        requests_.put({number, slot, shape.comm, start});
        if (!wildcard) scan_.waits.receive(*use.from, {start, start, shape.name, shape.recv_tag, slot, 0});
    }
}

void RankScan::start_all(Use& use, const Shape& shape, double start) {
    for (const std::uint64_t reference : shape.references) {
        const std::uint64_t number = next_request_ - reference;
        const auto request = persistent_.find(number);
        if (request == persistent_.end()) continue;
        Persistent& made = request->second;
        use.bytes_started += made.shape.bytes * made.use.pieces;
        count_traffic(made.use, 1);
        if (made.use.call_class == CallClass::send_init || made.use.call_class == CallClass::recv_init)
            post(made.use, made.shape, number, start);
    }
}

void RankScan::complete(const Use& use, const Shape& shape, double start, double end) {
    completed_.clear();
    for (const tracefile::Completion& done : shape.completions) {
        if (done.was_wildcard) [[unlikely]] {
            complete_wildcard(done, use.name);
        } else if (const std::uint32_t slot = requests_.take_slot(next_request_ - done.reference);
                   slot != no_request) {
            completed_.push_back(slot);
        }
    }
    if (!completed_.empty()) scan_.waits.complete(rank_, use.name, start, end, completed_);
}

void RankScan::complete_wildcard(const tracefile::Completion& done, std::uint32_t name) {
    const RankRequests::Entry entry = requests_.take(next_request_ - done.reference);
    if (entry.slot == no_request) return;
    if (Channel* const from = channel(communicator(entry.comm), done.peer, false); from == nullptr)
        scan_.waits.cancel(entry.slot);
    else
        scan_.waits.receive(*from, {entry.posted, entry.posted, name, done.tag, entry.slot, 0});
    completed_.push_back(entry.slot);
}

void RankScan::cancel(const Shape& shape) {
    for (const std::uint64_t reference : shape.references) {
        const std::uint64_t number = next_request_ - reference;
        if (shape.call_class == CallClass::request_cancel) {
            if (const auto entry = requests_.find(number); entry.slot != no_request)
                scan_.waits.cancel(entry.slot);
        } else if (const std::uint32_t slot = requests_.take(number).slot; slot != no_request) {
            // Its message may still arrive; no call waits for it.
            scan_.waits.complete(rank_, shape.name, now(), now(), std::span(&slot, 1));
        }
    }
}

}  // namespace linkworth::profile
