// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Node-aware collectives. MPICH 4, ch4 compositions ("NM + SHM with" or "without the explicit send-recv"
/// between the root and its node's leader; MPIR_Scan_intra_smp). Open MPI 5.0, ompi/mca/coll/han (bcast at
/// 00de8b7f, reduce at 0da975f6, allreduce at 7017a075, allgather at feadc689, barrier at b5f44e20; read
/// 2026-11-22): inside the nodes coll/tuned, between them coll/libnbc, in segments of 64 KiB of which one
/// moves between the nodes while the next one moves inside them.
#include <optional>

#include "calls/collectives/algorithms.hpp"
#include "calls/collectives/build.hpp"

namespace linkworth::replay::collectives {
namespace {

constexpr Bytes han_segment = 65536;  // coll_han_{bcast,reduce,allreduce}_segsize

Schedule handover(Rank me, Rank from, Rank to, Bytes bytes) {
    if (me == from) co_yield send_to(to, bytes);
    if (me == to) co_yield receive_from(from, bytes);
    co_yield wait_all();
}

Schedule combine_once(Bytes bytes) { co_yield combine(bytes); }

/// The parts of a collective that this rank takes part in, in order.
class Parts {
  public:
    Parts(const Rules& rules, const Operation& whole)
        : rules_(rules), whole_(whole), topology_(*whole.topology), node_(topology_.node[whole.me]) {}

    Rank my_node() const { return node_; }
    bool leads(Rank place) const { return topology_.local[whole_.me] == place; }

    /// Among the ranks of this rank's node; `root` is a place on it.
    Phase inside(Collective what, Rank root, Bytes bytes) const {
        const std::vector<Rank>& ranks = topology_.on_node[node_];
        return among(ranks, what, topology_.local[whole_.me], root, bytes, false);
    }
    /// Among the ranks at `place` of every node; nothing for other ranks. `root` is a node.
    std::optional<Phase> between(Rank place, Collective what, Rank root, Bytes bytes,
                                 bool nonblocking = false) const {
        if (!leads(place)) return std::nullopt;
        return among(topology_.with_local[place], what, node_, root, bytes, nonblocking);
    }

    void add(Phase phase) { phases_.push_back(std::move(phase)); }
    void add(std::optional<Phase> phase) {
        if (phase) phases_.push_back(std::move(*phase));
    }
    void add(Schedule steps) { phases_.push_back({std::move(steps), nullptr}); }
    Schedule sequence() { return in_sequence(std::move(phases_)); }

  private:
    Phase among(const std::vector<Rank>& ranks, Collective what, Rank me, Rank root, Bytes bytes,
                bool nonblocking) const {
        Operation operation;
        operation.what = what;
        operation.nonblocking = nonblocking || whole_.nonblocking;
        operation.me = me;
        operation.size = static_cast<Rank>(ranks.size());
        operation.root = root;
        operation.bytes = bytes;
        operation.element = whole_.element;
        return {build(rules_, operation), &ranks};
    }

    const Rules& rules_;
    const Operation& whole_;
    const Topology& topology_;
    Rank node_;
    std::vector<Phase> phases_;
};

const Rules& tuned_inside_han() {
    static const Rules rules{Library::openmpi_4_1, {}};
    return rules;
}

/// Segment after segment of a broadcast, between the nodes and, one behind, inside them; of a reduction,
/// inside them and, one behind, between them.
Schedule han_rooted(Operation whole) {
    const Topology& topology = *whole.topology;
    const Rank place = topology.local[whole.root];
    const Rank root_node = topology.node[whole.root];
    const Parts parts(tuned_inside_han(), whole);
    const Segments segments{whole.bytes, han_segment};
    const Bytes count = segments.count();
    const bool outwards = whole.what == Collective::bcast;
    Step step;
    for (Bytes turn = 0; turn <= count; ++turn) {
        std::vector<Phase> up;
        std::vector<Phase> inside;
        if (outwards ? turn < count : turn > 0) {
            const Bytes bytes = segments[outwards ? turn : turn - 1];
            if (auto phase = parts.between(place, whole.what, root_node, bytes, turn > 0))
                up.push_back(std::move(*phase));
        }
        if (outwards ? turn > 0 : turn < count)
            inside.push_back(parts.inside(whole.what, place, segments[outwards ? turn - 1 : turn]));
        Schedule both = side_by_side(std::move(up), std::move(inside));
        while (both.next(step)) co_yield Schedule::Forward{both, step};
    }
}

/// Four stages a segment: reduce inside, reduce between, broadcast between, broadcast inside.
Schedule han_allreduce(Operation whole) {
    const Parts parts(tuned_inside_han(), whole);
    const Segments segments{whole.bytes, han_segment};
    const Bytes count = segments.count();
    Step step;
    for (Bytes turn = 0; turn < count + 3; ++turn) {
        const auto stage = [&](Bytes late) {
            return turn >= late && turn - late < count ? std::optional(segments[turn - late]) : std::nullopt;
        };
        std::vector<Phase> up;
        std::vector<Phase> inside;
        for (const auto& [what, late] :
             {std::pair(Collective::bcast, Bytes{2}), {Collective::reduce, Bytes{1}}}) {
            const auto bytes = stage(late);
            if (!bytes) continue;
            if (auto phase = parts.between(0, what, 0, *bytes, true)) up.push_back(std::move(*phase));
        }
        if (const auto bytes = stage(0)) inside.push_back(parts.inside(Collective::reduce, 0, *bytes));
        if (const auto bytes = stage(3)) inside.push_back(parts.inside(Collective::bcast, 0, *bytes));
        Schedule both = side_by_side(std::move(up), std::move(inside));
        while (both.next(step)) co_yield Schedule::Forward{both, step};
    }
}

Schedule leaders_bcast(const Rules& rules, const Operation& operation, bool inline_root) {
    const Topology& topology = *operation.topology;
    const Rank root_node = topology.node[operation.root];
    const Rank root_place = topology.local[operation.root];
    Parts parts(rules, operation);
    if (inline_root) {
        if (parts.my_node() == root_node)
            parts.add(parts.inside(Collective::bcast, root_place, operation.bytes));
        parts.add(parts.between(0, Collective::bcast, root_node, operation.bytes));
        if (parts.my_node() != root_node) parts.add(parts.inside(Collective::bcast, 0, operation.bytes));
        return parts.sequence();
    }
    if (root_place != 0)
        parts.add(handover(operation.me, operation.root, topology.on_node[root_node][0], operation.bytes));
    parts.add(parts.between(0, Collective::bcast, root_node, operation.bytes));
    parts.add(parts.inside(Collective::bcast, 0, operation.bytes));
    return parts.sequence();
}

Schedule leaders_reduce(const Rules& rules, const Operation& operation, bool inline_root) {
    const Topology& topology = *operation.topology;
    const Rank root_node = topology.node[operation.root];
    const Rank root_place = topology.local[operation.root];
    Parts parts(rules, operation);
    if (!inline_root || parts.my_node() != root_node)
        parts.add(parts.inside(Collective::reduce, 0, operation.bytes));
    parts.add(parts.between(0, Collective::reduce, root_node, operation.bytes));
    if (inline_root) {
        if (parts.my_node() == root_node)
            parts.add(parts.inside(Collective::reduce, root_place, operation.bytes));
    } else if (root_place != 0) {
        parts.add(handover(operation.me, topology.on_node[root_node][0], operation.root, operation.bytes));
    }
    return parts.sequence();
}

/// Prefixes inside the nodes, then over the nodes' sums, each leader handing its prefix to the next node.
Schedule leaders_scan(const Rules& rules, const Operation& operation) {
    const Topology& topology = *operation.topology;
    const Bytes bytes = operation.bytes;
    Parts parts(rules, operation);
    const Rank node = parts.my_node();
    const std::vector<Rank>& here = topology.on_node[node];
    parts.add(parts.inside(Collective::scan, 0, bytes));
    if (here.size() > 1) parts.add(handover(operation.me, here.back(), here.front(), bytes));
    parts.add(parts.between(0, Collective::scan, 0, bytes));
    if (node + 1 < topology.nodes())
        parts.add(handover(operation.me, here.front(), topology.on_node[node + 1].front(), bytes));
    if (node > 0) {
        parts.add(handover(operation.me, topology.on_node[node - 1].front(), here.front(), bytes));
        parts.add(parts.inside(Collective::bcast, 0, bytes));
        parts.add(combine_once(bytes));
    }
    return parts.sequence();
}

}  // namespace

Schedule build_by_node_leaders(const Rules& rules, const Operation& operation, bool inline_root) {
    Parts parts(rules, operation);
    switch (operation.what) {
        case Collective::bcast: return leaders_bcast(rules, operation, inline_root);
        case Collective::reduce: return leaders_reduce(rules, operation, inline_root);
        case Collective::scan: return leaders_scan(rules, operation);
        case Collective::barrier:
            parts.add(parts.inside(Collective::barrier, 0, 0));
            parts.add(parts.between(0, Collective::barrier, 0, 0));
            parts.add(parts.inside(Collective::bcast, 0, 1));
            break;
        default:
            parts.add(parts.inside(Collective::reduce, 0, operation.bytes));
            parts.add(parts.between(0, Collective::allreduce, 0, operation.bytes));
            parts.add(parts.inside(Collective::bcast, 0, operation.bytes));
    }
    return parts.sequence();
}

Schedule build_han(const Rules& rules, const Operation& operation) {
    if (operation.what == Collective::bcast || operation.what == Collective::reduce)
        return han_rooted(operation);
    if (operation.what == Collective::allreduce) return han_allreduce(operation);
    const Topology& topology = *operation.topology;
    const auto on_node = static_cast<Bytes>(topology.on_node[0].size());
    const Rank root_place = topology.local[operation.root];
    const Rank root_node = topology.node[operation.root];
    const Bytes piece = operation.bytes;
    const Rules& tuned = rules.library == Library::openmpi_5 ? tuned_inside_han() : rules;
    Parts parts(tuned, operation);
    switch (operation.what) {
        case Collective::allgather:
            parts.add(parts.inside(Collective::gather, 0, piece));
            parts.add(parts.between(0, Collective::allgather, 0, piece * on_node));
            parts.add(parts.inside(Collective::bcast, 0, piece * operation.size));
            break;
        case Collective::gather:
            parts.add(parts.inside(Collective::gather, root_place, piece));
            parts.add(parts.between(root_place, Collective::gather, root_node, piece * on_node));
            break;
        case Collective::scatter:
            parts.add(parts.between(root_place, Collective::scatter, root_node, piece * on_node));
            parts.add(parts.inside(Collective::scatter, root_place, piece));
            break;
        default:
            parts.add(parts.inside(Collective::barrier, 0, 0));
            parts.add(parts.between(0, Collective::barrier, 0, 0));
            parts.add(parts.inside(Collective::barrier, 0, 0));
    }
    return parts.sequence();
}

}  // namespace linkworth::replay::collectives
