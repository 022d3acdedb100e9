// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/collectives/intergroup.hpp"

#include <algorithm>
#include <utility>

#include "calls/collectives/build.hpp"

namespace linkworth::replay::collectives {
namespace {

constexpr Bytes by_leader_below = 2048;  // MPIR_Gather_inter, MPIR_Scatter_inter: total bytes
constexpr Bytes barrier_bytes = 1;

bool is_mpich(const Rules& rules) {
    return rules.library == Library::mpich || rules.library == Library::mpich_flat;
}

Schedule send_once(Rank to, Bytes bytes) {
    co_yield send_to(to, bytes);
    co_yield wait_all();
}

Schedule receive_once(Rank from, Bytes bytes) {
    co_yield receive_from(from, bytes);
    co_yield wait_all();
}

Schedule exchange_with(Rank partner, Bytes sent, Bytes received) {
    co_yield receive_from(partner, received);
    co_yield send_to(partner, sent);
    co_yield wait_all();
}

/// Sends to every rank of the other group at once, or receives from it.
Schedule with_all(const std::vector<Rank>* others, Counts bytes, bool sending) {
    for (Rank index = 0; index < others->size(); ++index) {
        if (bytes[index] == 0) continue;
        if (sending)
            co_yield send_to((*others)[index], bytes[index]);
        else
            co_yield receive_from((*others)[index], bytes[index]);
    }
    co_yield wait_all();
}

/// A leader's part of an all-gather: its own piece to the other leader, all pieces of the other group to it.
Schedule gather_from_all(const std::vector<Rank>* others, Counts bytes, Bytes own) {
    for (Rank index = 0; index < others->size(); ++index)
        if (bytes[index] > 0) co_yield receive_from((*others)[index], bytes[index]);
    if (own > 0) co_yield send_to((*others)[0], own);
    co_yield wait_all();
}

/// Exchanges with one partner at a time, in as many steps as the larger group has ranks, or with all at once.
Schedule exchange_all(const std::vector<Rank>* others, Rank me, Rank steps, Counts sends, Counts receives,
                      bool pairwise) {
    for (Rank step = 0; step < steps; ++step) {
        const Rank from = (me + steps - step) % steps;
        const Rank to = (me + step) % steps;
        if (from < others->size()) co_yield receive_from((*others)[from], receives[from]);
        if (to < others->size()) co_yield send_to((*others)[to], sends[to]);
        if (pairwise) co_yield wait_all();
    }
    co_yield wait_all();
}

class Groups {
  public:
    Groups(const Rules& rules, const Operation& operation, const Sides& sides)
        : rules_(rules), operation_(operation), sides_(sides) {}

    bool leads() const { return operation_.me == 0; }
    Rank leader() const { return sides_.remote[0]; }

    void local(Collective what, Bytes bytes) {
        Operation inside;
        inside.what = what;
        inside.nonblocking = operation_.nonblocking;
        inside.me = operation_.me;
        inside.size = operation_.size;
        inside.bytes = bytes;
        inside.element = operation_.element;
        phases_.push_back({build(rules_, inside), &sides_.local});
    }
    void local_scatter(const Counts* pieces, Bytes piece) {
        if (pieces == nullptr) return local(Collective::scatter, piece);
        Operation inside;
        inside.what = Collective::scatterv;
        inside.me = operation_.me;
        inside.size = operation_.size;
        inside.own = (*pieces)[operation_.me];
        inside.sends = pieces;
        phases_.push_back({build(rules_, inside), &sides_.local});
    }
    void add(Schedule steps) { phases_.push_back({std::move(steps), nullptr}); }
    void leaders_exchange(Bytes sent, Bytes received) {
        if (leads()) add(exchange_with(leader(), sent, received));
    }
    Schedule sequence() { return in_sequence(std::move(phases_)); }

  private:
    const Rules& rules_;
    const Operation& operation_;
    const Sides& sides_;
    std::vector<Phase> phases_;
};

}  // namespace

Schedule build_between_groups(const Rules& rules, const Operation& operation, Part part, const Sides& sides,
                              Bytes piece_received) {
    const auto here = static_cast<Bytes>(sides.local.size());
    const auto there = static_cast<Bytes>(sides.remote.size());
    const Bytes bytes = operation.bytes;
    const bool is_root = part == Part::is_root;
    Groups groups(rules, operation, sides);
    const auto list = [](const Counts* counts, Bytes ranks, Bytes each) {
        return counts != nullptr ? *counts : Counts(ranks, each);
    };
    const bool rooted = operation.what == Collective::bcast || operation.what == Collective::reduce ||
                        operation.what == Collective::gather || operation.what == Collective::gatherv ||
                        operation.what == Collective::scatter || operation.what == Collective::scatterv;
    if (rooted && part == Part::idle) return groups.sequence();
    const Rank root = rooted && !is_root ? sides.remote[operation.root] : 0;
    const auto by_leader = [&](Bytes total) { return !is_mpich(rules) || total < by_leader_below; };
    switch (operation.what) {
        case Collective::barrier:
            groups.local(Collective::barrier, 0);
            groups.leaders_exchange(barrier_bytes, barrier_bytes);
            groups.local(Collective::bcast, barrier_bytes);
            break;
        case Collective::bcast:
            if (is_root) {
                groups.add(send_once(groups.leader(), bytes));
            } else {
                if (groups.leads()) groups.add(receive_once(root, bytes));
                groups.local(Collective::bcast, bytes);
            }
            break;
        case Collective::reduce:
            if (is_root) {
                groups.add(receive_once(groups.leader(), bytes));
            } else {
                groups.local(Collective::reduce, bytes);
                if (groups.leads()) groups.add(send_once(root, bytes));
            }
            break;
        case Collective::allreduce:
            groups.local(Collective::reduce, bytes);
            groups.leaders_exchange(bytes, bytes);
            groups.local(Collective::bcast, bytes);
            break;
        case Collective::allgather:
            groups.local(Collective::gather, bytes);
            groups.leaders_exchange(bytes * here, piece_received * there);
            groups.local(Collective::bcast, piece_received * there);
            break;
        case Collective::allgatherv:
            if (groups.leads())
                groups.add(gather_from_all(&sides.remote, list(operation.receives, there, 0), operation.own));
            else if (operation.own > 0)
                groups.add(send_once(groups.leader(), operation.own));
            groups.local(Collective::bcast, total_of(list(operation.receives, there, 0)));
            break;
        case Collective::gather:
            if (is_root && by_leader(piece_received * there)) {
                groups.add(receive_once(groups.leader(), piece_received * there));
            } else if (is_root) {
                groups.add(with_all(&sides.remote, Counts(there, piece_received), false));
            } else if (by_leader(bytes * here)) {
                groups.local(Collective::gather, bytes);
                if (groups.leads()) groups.add(send_once(root, bytes * here));
            } else {
                groups.add(send_once(root, bytes));
            }
            break;
        case Collective::scatter:
            if (is_root && by_leader(bytes * there)) {
                groups.add(send_once(groups.leader(), bytes * there));
            } else if (is_root) {
                groups.add(with_all(&sides.remote, Counts(there, bytes), true));
            } else if (by_leader(piece_received * here)) {
                if (groups.leads()) groups.add(receive_once(root, piece_received * here));
                groups.local(Collective::scatter, piece_received);
            } else {
                groups.add(receive_once(root, piece_received));
            }
            break;
        case Collective::gatherv:
            if (is_root)
                groups.add(with_all(&sides.remote, list(operation.receives, there, 0), false));
            else if (operation.own > 0)
                groups.add(send_once(root, operation.own));
            break;
        case Collective::scatterv:
            if (is_root)
                groups.add(with_all(&sides.remote, list(operation.sends, there, 0), true));
            else if (operation.own > 0)
                groups.add(receive_once(root, operation.own));
            break;
        case Collective::alltoall:
        case Collective::alltoallv:
        case Collective::alltoallw:
            groups.add(exchange_all(&sides.remote, operation.me, static_cast<Rank>(std::max(here, there)),
                                    list(operation.sends, there, bytes),
                                    list(operation.receives, there, piece_received), is_mpich(rules)));
            break;
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block:
            groups.local(Collective::reduce, bytes);
            groups.leaders_exchange(bytes, bytes);
            groups.local_scatter(operation.receives, piece_received);
            break;
        default: break;
    }
    return groups.sequence();
}

}  // namespace linkworth::replay::collectives
