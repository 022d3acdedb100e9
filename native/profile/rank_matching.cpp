// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Effect of one rank's calls on waiting: which of them sends, receives, completes or meets.
#include <cstdint>
#include <span>

#include "profile/rank_scan.hpp"

namespace linkworth::profile {

using tracefile::CallClass;
using tracefile::Shape;

/// Both sides of an inter-communicator have the context of the union of its groups.
std::uint32_t RankScan::context_of(const replay::Communicator* communicator) {
    if (communicator == nullptr) return 0;
    return communicator->inter ? communicator->both->context : communicator->context;
}

void RankScan::match(Use& use, const Shape& shape, const When& when) {
    switch (use.call_class) {
        case CallClass::sendrecv: {
            const bool any = tracefile::is_wildcard(shape.recv_peer, shape.recv_tag);
            completed_.clear();
            if (use.to != no_rank)
                completed_.push_back(scan_.waits.take(send_half(use, shape.tag, when.posted)));
            if (use.from != no_rank) {
                const std::int32_t tag = any ? shape.actual_tag : shape.recv_tag;
                const Half half = receive_half(use, tag, when.posted);
                forget_probe_of(half.pairing);
                completed_.push_back(scan_.waits.take(half));
            }
            scan_.waits.complete(rank_, shape.name, when.start, when.end, completed_);
            break;
        }
        case CallClass::probe: {
            const replay::Communicator* const on = communicator(shape.comm);
            probed_ = {{world_rank(on, shape.actual_peer), rank_, context_of(on), shape.actual_tag},
                       when.start,
                       when.end,
                       shape.name};
            break;
        }
        case CallClass::isend:
        case CallClass::irecv: post(use, shape, next_request_, when.posted); break;
        case CallClass::isendrecv: post_both(use, shape, next_request_, when.posted); break;
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
        case CallClass::start: start_all(use, shape, when.posted); break;
        case CallClass::request_free:
            if (!shape.references.empty()) {
                persistent_.erase(next_request_ - shape.references.front());
                cancel(shape);
            }
            break;
        case CallClass::request_cancel: cancel(shape); break;
        case CallClass::collective:
            if (use.meetings != nullptr) {
                scan_.waits.meet(*use.meetings,
                                 {static_cast<std::int32_t>(use.member.my_rank), shape.peer, shape.collective,
                                  shape.name, when.posted, when.start, when.end});
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
    const bool is_receive = shape.call_class == CallClass::irecv || shape.call_class == CallClass::recv_init;
    if (is_receive && tracefile::is_wildcard(shape.peer, shape.tag))
        post_wildcard(shape, shape.peer, shape.tag, number, start);
    else if (use.to != no_rank)
        requests_.insert(number, scan_.waits.take(send_half(use, shape.tag, start)));
    else if (use.from != no_rank)
        requests_.insert(number, receive(use, number, shape.tag, start));
}

// It may take the message that a probe found.
void RankScan::post_wildcard(const Shape& shape, std::int32_t peer, std::int32_t tag, std::uint64_t number,
                             double start) {
    const replay::Communicator* const on = communicator(shape.comm);
    const std::uint32_t source =
        peer == tracefile::any_source ? probed_.pairing.source() : world_rank(on, peer);
    forget_probe_of({source, rank_, context_of(on), tag == tracefile::any_tag ? probed_.pairing.tag() : tag});
    requests_.insert(number, scan_.waits.without_partner(shape.comm, start));
}

// A request of two messages: the calls that wait for it are taken to wait for the one that it receives.
void RankScan::post_both(const Use& use, const Shape& shape, std::uint64_t number, double start) {
    if (use.to != no_rank) scan_.waits.abandon(scan_.waits.take(send_half(use, shape.tag, start)));
    if (tracefile::is_wildcard(shape.recv_peer, shape.recv_tag))
        post_wildcard(shape, shape.recv_peer, shape.recv_tag, number, start);
    else if (use.from != no_rank)
        requests_.insert(number, receive(use, number, shape.recv_tag, start));
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
    for (const tracefile::Completion& done : shape.completions)
        if (done.was_wildcard) [[unlikely]]
            complete_wildcard(done);
        else if (std::uint32_t half = no_half; requests_.take(next_request_ - done.reference, half))
            completed_.push_back(half);
    if (!completed_.empty()) scan_.waits.complete(rank_, use.name, start, end, completed_);
}

void RankScan::complete_wildcard(const tracefile::Completion& done) {
    std::uint32_t half = no_half;
    if (!requests_.take(next_request_ - done.reference, half)) return;
    const replay::Communicator* const on = communicator(scan_.waits.communicator_of(half));
    if (const std::uint32_t from = world_rank(on, done.peer); from == no_rank)
        scan_.waits.cancel(half);
    else
        scan_.waits.pair_with(half, {from, rank_, context_of(on), done.tag});
    completed_.push_back(half);
}

void RankScan::cancel(const Shape& shape) {
    for (const std::uint64_t reference : shape.references) {
        const std::uint64_t number = next_request_ - reference;
        std::uint32_t half = no_half;
        if (shape.call_class == CallClass::request_cancel) {
            if (requests_.find(number, half)) scan_.waits.cancel(half);
        } else if (requests_.take(number, half)) {
            scan_.waits.abandon(half);  // its message may still arrive
        }
    }
}

}  // namespace linkworth::profile
