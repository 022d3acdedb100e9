// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/network.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "replay/draws.hpp"

namespace linkworth::replay {
namespace {

/// A longer message is cut into this many chunks, which are larger then: its fairness changes little, its
/// cost a lot.
constexpr std::uint64_t most_chunks = 64;

/// K rails whose packets overtake each other carry at most K to the power of this times what one carries: TCP
/// takes late packets for lost ones, sends them again and reduces its window. Linux's bonding documentation
/// (Documentation/networking/bonding.rst, balance-rr): at most about 2.3 interfaces' worth on four, and
/// log 2.3 / log 4 = 0.6. benchmarks/lab/bench_aggregation.py, 4 MiB both ways on 2 and 8 ranks, interrupts
/// of 250 us (Linux 6.18, 2026-11-25): 1.6 and 1.9 times one NIC on two, 1.8 and 1.8 on three, 1.6 and 1.9 on
/// four.
constexpr double reordering_exponent = 0.6;

/// Bandwidth of K rails for messages on all of them, over that of one.
double striped_gain(const Fabric& fabric) {
    const double gain = 1 + (fabric.rails - 1) * fabric.rail_efficiency;
    if (fabric.aggregation != Aggregation::roundrobin) return gain;
    return std::min(gain, std::pow(fabric.rails, reordering_exponent));
}

/// Bandwidth of a pair of ranks for long messages, over that of one rail.
double gain_of_pair(const Fabric& fabric) {
    return fabric.aggregation == Aggregation::connection ? 1 : striped_gain(fabric);
}

/// [node]
std::vector<std::uint64_t> chunks_of(const Fabric& fabric, const std::vector<std::uint32_t>& ranks_on_node) {
    std::vector<std::uint64_t> result(ranks_on_node.size(), fabric.chunk_bytes);
    if (std::isinf(fabric.tcp.burst_seconds)) return result;
    const Path& link = fabric.link;
    const double burst = fabric.tcp.burst_seconds * link.bandwidth_bytes_per_second * fabric.rails;
    // At least two segments (Linux, tcp_min_tso_segs).
    const std::uint64_t least = std::min(fabric.chunk_bytes, 2 * (link.mtu_bytes - link.header_in_mtu_bytes));
    for (std::size_t node = 0; node < result.size(); ++node) {
        const double share = burst / std::max(1U, ranks_on_node[node]);
        if (share < static_cast<double>(fabric.chunk_bytes))
            result[node] = std::max<std::uint64_t>({static_cast<std::uint64_t>(share), least, 1});
    }
    return result;
}

}  // namespace

Network::Network(const Fabric& fabric, bool contention, const std::vector<std::uint32_t>& ranks_on_node,
                 std::uint64_t ranks, EventQueue& queue, NetworkListener& listener, bool with_loads)
    : fabric_(fabric),
      contention_(contention),
      queue_(queue),
      listener_(listener),
      rail_bandwidth_(fabric.link.bandwidth_bytes_per_second),
      striped_bandwidth_(rail_bandwidth_ * striped_gain(fabric) / fabric.rails),
      held_wire_bytes_(fabric.tcp.send_buffer_bytes > 0
                           ? fabric.link.wire_bytes(static_cast<std::uint64_t>(fabric.tcp.send_buffer_bytes))
                           : 0),
      duplex_factor_(std::max(1.0, 2 * rail_bandwidth_ / fabric.duplex_bytes_per_second)),
      bucket_seconds_(static_cast<double>(fabric.link.burst_bytes) / fabric.link.bandwidth_bytes_per_second),
      chunk_bytes_(chunks_of(fabric, ranks_on_node)),
      out_(ranks_on_node.size() * fabric.rails),
      out_free_(out_.size()),
      in_(out_.size()),
      out_full_(bucket_seconds_ > 0 ? out_.size() : 0),
      in_full_(out_full_.size()),
      memory_(ranks_on_node.size()),
      rank_duplex_factor_(std::max(
          1.0, 2 * fabric.intranode.bandwidth_bytes_per_second / fabric.intranode_duplex_bytes_per_second)),
      copied_in_(ranks),
      copied_out_(rank_duplex_factor_ > 1 ? ranks : 0),
      waiting_bytes_(fabric.rails > 1 ? out_.size() : 0),
      next_rail_(ranks_on_node.size()),
      out_load_(with_loads ? out_.size() : 0),
      in_load_(out_load_.size()),
      switches_(fabric.topology, static_cast<std::uint32_t>(ranks_on_node.size()), with_loads),
      restarts_(fabric),
      full_ports_(fabric.tcp, fabric.link),
      pairs_(fabric.tcp, ranks, gain_of_pair(fabric)),
      costs_({&fabric.link}),
      plain_(contention && fabric.rails == 1 && bucket_seconds_ <= 0 && !with_loads &&
             fabric.topology.levels.empty() && !full_ports_.matter() && !pairs_.matter() &&
             duplex_factor_ <= 1) {}

std::vector<LinkLoad> Network::loads() const {
    std::vector<LinkLoad> result;
    for (std::uint32_t port = 0; port < out_load_.size(); ++port) {
        const std::uint32_t node = port / fabric_.rails, rail = port % fabric_.rails;
        result.push_back({LinkKind::nic_out, 0, node, rail, out_load_[port]});
        result.push_back({LinkKind::nic_in, 0, node, rail, in_load_[port]});
    }
    switches_.append_loads(result);
    return result;
}

bool Network::striped(std::uint64_t bytes) const {
    if (fabric_.rails == 1) return false;
    if (fabric_.aggregation == Aggregation::packet || fabric_.aggregation == Aggregation::roundrobin)
        return bytes > fabric_.link.mtu_bytes;
    return fabric_.aggregation == Aggregation::stripe && bytes >= fabric_.stripe_min_bytes &&
           bytes > fabric_.stripe_rest_bytes;
}

std::uint32_t Network::longest_shares(std::uint64_t bytes) const {
    const std::uint64_t rest = fabric_.stripe_rest_bytes, rails = fabric_.rails;
    if (rest == 0 || fabric_.aggregation != Aggregation::stripe) return 1;
    const std::uint64_t dealt = (rails * (bytes - rest) + bytes - 1) / bytes;
    return static_cast<std::uint32_t>(rails - std::min(dealt, rails - 1));
}

double Network::bandwidth_alone(std::uint64_t bytes) const {
    return striped(bytes) ? striped_bandwidth_ * fabric_.rails / longest_shares(bytes) : rail_bandwidth_;
}

std::uint32_t Network::first_rail(const Transmission& what) {
    if (steps()) step_on(what.connection);
    return longest_shares(what.bytes) == 1 ? 0 : next_rail_[what.source_node]++ % fabric_.rails;
}

std::uint32_t Network::step_on(std::uint64_t connection) {
    std::uint32_t& gone = steps_[connection];
    gone = (gone + fabric_.stripe_step) % fabric_.rails;
    return rail_after(gone);
}

std::uint32_t Network::rail_after(std::uint32_t gone) const {
    // All begin before the first rail.
    return (gone + fabric_.rails - 1) % fabric_.rails;
}

std::uint32_t Network::rail_of_connection(std::uint64_t connection) const {
    return static_cast<std::uint32_t>((connection * 0x9e3779b97f4a7c15U) >> 33U) % fabric_.rails;
}

std::uint32_t Network::choose_rail(const Transmission& what) {
    if (fabric_.rails == 1) return 0;
    if (steps()) return step_on(what.connection);
    if (fabric_.aggregation == Aggregation::connection) return rail_of_connection(what.connection);
    return rail_in_order(what);
}

/// Returns the rail that is free first, or that of an earlier message of the same connection, so that they
/// keep their order.
std::uint32_t Network::rail_in_order(const Transmission& what) const {
    std::uint32_t chosen = 0;
    for (std::uint32_t rail = 0; rail < fabric_.rails; ++rail) {
        if (waits_at(rail, what)) return rail;
        const std::uint32_t port = port_of(what.source_node, rail), best = port_of(what.source_node, chosen);
        const bool idle = out_[port].idle();
        if (idle != out_[best].idle() ? idle : out_free_[port].seconds < out_free_[best].seconds)
            chosen = rail;
    }
    return chosen;
}

/// Returns the rail whose messages are all out first, and of several the one that has been idle longest. An
/// ordered message stays behind an earlier one of its connection that has not begun.
std::uint32_t Network::rail_free_first(const Transmission& what, const Stamp& ready) const {
    std::uint32_t chosen = 0;
    auto first_free = std::pair(std::numeric_limits<double>::infinity(), 0.0);
    for (std::uint32_t rail = 0; rail < fabric_.rails; ++rail) {
        const std::uint32_t port = port_of(what.source_node, rail);
        if (what.order != nullptr) {
            const std::uint32_t before = waiting_.last_waiting(port, what.connection);
            if (before != none && !shipments_[before].head_left) return rail;
        }
        const double idle_from = out_free_[port].seconds;
        const double free = std::max(idle_from, ready.seconds) + waiting_bytes_[port] / rail_bandwidth_;
        if (std::pair(free, idle_from) < first_free) {
            chosen = rail;
            first_free = {free, idle_from};
        }
    }
    return chosen;
}

/// The rail that the connection's next short message would take.
std::uint32_t Network::rail_of_control(const Transmission& what, const Stamp& ready) const {
    if (fabric_.rails == 1) return 0;
    if (fabric_.aggregation == Aggregation::connection) return rail_of_connection(what.connection);
    if (fabric_.aggregation == Aggregation::message) {
        Transmission in_any_order = what;
        in_any_order.order = nullptr;
        return rail_free_first(in_any_order, ready);
    }
    if (steps()) {
        const auto found = steps_.find(what.connection);
        const std::uint32_t gone = found == steps_.end() ? 0 : found->second;
        return rail_after((gone + fabric_.stripe_step) % fabric_.rails);
    }
    return rail_in_order(what);
}

bool Network::waits_anywhere(const Transmission& what) const {
    for (std::uint32_t rail = 0; rail < fabric_.rails; ++rail)
        if (waits_at(rail, what)) return true;
    return false;
}

/// Share of the link that a message gets, over the smallest one. A connection's is drawn once for the whole
/// run and alternates with its opposite. So equal iterations of a program stay equal, and so do the
/// connections' shares in the mean. A message that follows another at once gets the mean.
double Network::share_of(const Transmission& what, std::uint32_t rail) {
    if (waits_at(rail, what)) return std::sqrt(fabric_.tcp.share_ratio);
    const double drawn = unit(scramble(what.connection));
    bool& opposite = opposite_share_[what.connection];
    opposite = !opposite;
    return std::pow(fabric_.tcp.share_ratio, opposite ? drawn : 1 - drawn);
}

void Network::send_shared(std::uint32_t message, const Transmission& what, const Stamp& ready) {
    Shipment& shipment = shipment_of(message);
    const double stall = restarts_.stall_seconds(what.connection, what.bytes, ready.seconds);
    const double wire_bytes = costs_.of(what.bytes).wire_bytes;
    const std::uint64_t chunk_bytes = chunk_bytes_[what.source_node];
    const bool on_all_rails = striped(what.bytes);
    const bool free_first = fabric_.rails > 1 && fabric_.aggregation == Aggregation::message;
    const std::uint32_t rail = on_all_rails ? first_rail(what)
                               : free_first ? rail_free_first(what, ready)
                                            : choose_rail(what);
    shipment = {ready, what, wire_bytes, stall, static_cast<std::uint16_t>(rail), 1, 1, false, false};
    if (contention_ && pairs_.count(what.bytes)) pairs_.begin(what.connection, ready.seconds);
    if (!contention_ ||
        (!on_all_rails && what.bytes <= chunk_bytes && out_[port_of(what.source_node, rail)].idle())) {
        send_alone(message);
        return;
    }
    const std::uint64_t least = on_all_rails ? fabric_.rails : 1;
    std::uint64_t chunks = (what.bytes + chunk_bytes - 1) / chunk_bytes;
    chunks = std::clamp<std::uint64_t>(chunks, 1, most_chunks);
    if (fabric_.tcp.share_ratio > 1) {
        const auto fewer = static_cast<std::uint64_t>(static_cast<double>(chunks) / share_of(what, rail));
        // No NIC takes more of a connection at once than `chunk_bytes`.
        const std::uint64_t fewest = (what.bytes + fabric_.chunk_bytes - 1) / fabric_.chunk_bytes;
        chunks = std::min(chunks, std::max({fewer, fewest, std::uint64_t{1}}));
    }
    chunks = (chunks + least - 1) / least * least;
    send_in_chunks(message, rail, static_cast<std::uint32_t>(chunks), on_all_rails);
}

void Network::send_behind_data(std::uint32_t message, const Transmission& what, const Stamp& ready) {
    const std::uint32_t rail = rail_of_control(what, ready);
    shipment_of(message) = {
        ready, what, costs_.of(what.bytes).wire_bytes, 0, static_cast<std::uint16_t>(rail), 1, 1,
        false, false};
    send_in_chunks(message, rail, 1, false);
}

Stamp Network::passed(const Stamp& start, double wire, std::vector<Stamp>& full, std::uint32_t port) const {
    Stamp out = start;
    if (bucket_seconds_ <= 0) {
        out.add_bandwidth(wire, false);
        return out;
    }
    // The bucket fills at the link's rate. Sending delays the moment when it is full, and no byte leaves
    // earlier than one bucket before that.
    Stamp& full_again = full[port];
    full_again.raise_to(start);
    full_again.add_bandwidth(wire, false);
    if (full_again.seconds - bucket_seconds_ > start.seconds) {
        out = full_again;
        out.add_bandwidth(-bucket_seconds_, false);
    }
    return out;
}

void Network::carry_alone(const Transmission& what, const Stamp& ready, Stamp& at, Stamp* left) {
    const SizeCosts& costs = costs_.of(what.bytes);
    const double wire = alone(costs.wire_bytes / bandwidth_alone(what.bytes));
    const double stall = restarts_.stall_seconds(what.connection, what.bytes, ready.seconds);
    at = ready;
    if (left != nullptr) {
        *left = at;
        left->add_bandwidth(wire, false);
        const double held = std::min(1.0, held_wire_bytes_ * rails_of(what.bytes) / costs.wire_bytes);
        left->add_bandwidth(-held * (left->seconds - at.seconds), false);
        left->add_wait(stall);
    }
    at.add_link_latency(fabric_.link.latency_seconds);
    at.add_latency_elsewhere(costs.added_latency);
    at.add_wait(stall);
    at.add_latency_elsewhere(switches_.latency_seconds(what.source_node, what.destination_node));
    if (what.order != nullptr) {
        at.raise_to(*what.order);
        *what.order = at;
    }
    at.add_bandwidth(wire, false);
}

/// A message of one chunk that nobody is in the way of, but others of its kind.
void Network::send_alone(std::uint32_t message) {
    Shipment& shipment = shipments_[message];
    const Transmission& what = shipment.what;
    const std::uint32_t index = port_of(what.source_node, shipment.rail);
    Stamp start = shipment.at;
    double wire = shipment.chunk_wire_bytes / bandwidth_alone(what.bytes);
    if (contention_) {
        start.raise_to(out_free_[index]);
        wire = beside_other_direction(wire, start, in_[index]);
    }
    Stamp left = start;
    if (!contention_) {
        left.add_bandwidth(alone(wire), false);
    } else {
        left = passed(start, wire, out_full_, index);
        Stamp& free = out_free_[index];
        free = left;
        if (!out_load_.empty()) out_load_[index].add(start.seconds, left.seconds);
        const double gap = fabric_.link.gap_seconds;
        const double taken = left.seconds - start.seconds;
        if (taken < gap) free.add_overhead(gap - taken);
    }
    shipment.unsent = 0;
    const Stamp head = head_after(shipment, start);
    leave(message, start.seconds, left);
    // The tail may come later than the receiver's NIC can take it.
    const bool tail_counts = bucket_seconds_ > 0 || duplex_factor_ > 1 ||
                             switches_.hops(what.source_node, what.destination_node) > 0;
    if (contention_ && tail_counts) {
        const std::uint32_t parcel = parcels_.take();
        Stamp tail = head;
        tail.add_bandwidth(left.seconds - start.seconds, false);
        parcels_[parcel] = {head, tail, message, shipment.rail, 0, left.seconds - start.seconds};
        queue_.push(head.seconds, Happening::parcel, parcel);
        return;
    }
    shipment.at = head;
    queue_.push(head.seconds, Happening::whole, message);
}

/// Notifies a waiting sender if this chunk completes its data: all of it has left or is in the kernel.
void Network::leave(std::uint32_t message, double start_seconds, const Stamp& left) {
    Shipment& shipment = shipments_[message];
    if (!shipment.what.report_when_left) return;
    const double room =
        held_wire_bytes_ * rails_of(shipment.what.bytes) - shipment.unsent * shipment.chunk_wire_bytes;
    if (room < 0) return;
    shipment.what.report_when_left = false;
    Stamp out = left;
    if (room > 0) {
        const double share = std::min(1.0, room / shipment.chunk_wire_bytes);
        out.add_bandwidth(-share * (left.seconds - start_seconds), false);
    }
    out.add_wait(shipment.stall_seconds);
    listener_.on_left(message, out);
}

/// Does the same as `leave` for a message of one chunk.
void Network::leave_plainly(std::uint32_t message, double start_seconds, const Stamp& left,
                            double stall_seconds) {
    Stamp out = left;
    out.add_bandwidth(-std::min(held_wire_bytes_ / rail_bandwidth_, left.seconds - start_seconds), false);
    out.add_wait(stall_seconds);
    listener_.on_left(message, out);
}

/// When the first byte of a chunk that starts now is at the other side (of the first switch).
Stamp Network::head_after(Shipment& shipment, const Stamp& start) {
    Stamp head = start;
    if (!contention_)
        head.add_latency_elsewhere(
            switches_.latency_seconds(shipment.what.source_node, shipment.what.destination_node));
    set_head(shipment, head);
    return head;
}

void Network::send_in_chunks(std::uint32_t message, std::uint32_t rail, std::uint32_t chunks,
                             bool on_all_rails) {
    Shipment& shipment = shipments_[message];
    shipment.unsent = shipment.unarrived = static_cast<std::uint16_t>(chunks);
    if (message >= last_in_memory_.size()) last_in_memory_.resize(message + std::size_t{1});
    last_in_memory_[message] = Stamp{};
    shipment.chunk_wire_bytes /= chunks;
    // The first one has the most of an uneven message, those after it a share each.
    const std::uint32_t longest = on_all_rails ? longest_shares(shipment.what.bytes) : 1;
    const std::uint32_t used = on_all_rails ? fabric_.rails - longest + 1 : 1;
    const std::uint32_t share = chunks / (used + longest - 1);
    for (std::uint32_t each = 0; each < used; ++each) {
        const std::uint32_t index = port_of(shipment.what.source_node, (rail + each) % fabric_.rails);
        OutPort& port = out_[index];
        const std::uint32_t of_rail = each == 0 ? share * longest : share;
        if (fabric_.rails > 1) waiting_bytes_[index] += of_rail * shipment.chunk_wire_bytes;
        if (waiting_.join(port, index, shipment.what.connection, message, of_rail))
            queue_.push(std::max(out_free_[index].seconds, shipment.at.seconds), Happening::port, index);
    }
}

void Network::send_chunk(std::uint32_t index) {
    OutPort& port = out_[index];
    Stamp& free = out_free_[index];
    const std::uint32_t message = waiting_.take_chunk(port);
    Shipment& shipment = shipments_[message];
    const Stamp start = later(shipment.at, free);
    const double bandwidth = striped(shipment.what.bytes) ? striped_bandwidth_ : rail_bandwidth_;
    const double wire = beside_other_direction(shipment.chunk_wire_bytes / bandwidth, start, in_[index]);
    const bool first = !shipment.head_left;
    const Stamp left = passed(start, wire, out_full_, index);
    const double taken = left.seconds - start.seconds;
    free = left;
    if (!out_load_.empty()) out_load_[index].add(start.seconds, left.seconds);
    const double gap = fabric_.link.gap_seconds;
    if (first && taken < gap) free.add_overhead(gap - taken);
    if (fabric_.rails > 1)
        waiting_bytes_[index] = port.idle() ? 0 : waiting_bytes_[index] - shipment.chunk_wire_bytes;
    if (!port.idle()) queue_.push(free.seconds, Happening::port, index);

    const std::uint32_t parcel = parcels_.take();
    const Stamp head = head_after(shipment, start);
    Stamp tail = head;
    tail.add_bandwidth(taken, false);
    parcels_[parcel] = {head, tail, message, index % fabric_.rails, 0, taken};
    queue_.push(head.seconds, Happening::parcel, parcel);
    --shipment.unsent;
    leave(message, start.seconds, left);
}

void Network::move_parcel(std::uint32_t index) {
    Parcel& parcel = parcels_[index];
    const Transmission& what = shipments_[parcel.message].what;
    if (parcel.hop < switches_.hops(what.source_node, what.destination_node)) {
        switches_.pass(what.source_node, what.destination_node, parcel.hop++,
                       shipments_[parcel.message].chunk_wire_bytes, parcel.head, parcel.tail);
        queue_.push(parcel.head.seconds, Happening::parcel, index);
        return;
    }
    const Parcel there = parcel;
    parcels_.release(index);
    arrive(there.message, there.rail, there.head, there.tail);
}

void Network::on_whole(std::uint32_t message) {
    const Shipment& shipment = shipments_[message];
    arrive(message, shipment.rail, shipment.at, shipment.at);
}

/// A chunk's first byte reaches the receiver's NIC, and the rest flows in behind it.
void Network::arrive(std::uint32_t message, std::uint32_t rail, const Stamp& head, const Stamp& tail) {
    const Shipment& shipment = shipments_[message];
    const Transmission& what = shipment.what;
    Stamp in_memory = head;
    if (contention_) {
        const double bandwidth = striped(what.bytes) ? striped_bandwidth_ : rail_bandwidth_;
        const std::uint32_t port = port_of(what.destination_node, rail);
        Stamp& free = in_[port];
        const double wire =
            beside_other_direction(shipment.chunk_wire_bytes / bandwidth, later(head, free), out_free_[port]);
        const bool lost = full_ports_.overflows((free.seconds - head.seconds) * bandwidth);
        in_memory.raise_to(free);
        free = passed(in_memory, wire, in_full_, port);
        if (!in_load_.empty()) in_load_[port].add(in_memory.seconds, free.seconds);
        const double taken = free.seconds - in_memory.seconds;
        in_memory = free;
        in_memory.raise_to(tail);
        if (taken < fabric_.link.gap_seconds) free.add_overhead(fabric_.link.gap_seconds - taken);
        if (pairs_.count(what.bytes)) {
            pairs_.pass(what.connection, shipment.chunk_wire_bytes, head, in_memory);
            if (shipment.unarrived == 1) pairs_.end(what.connection, in_memory.seconds);
        }
        if (lost)
            in_memory.add_wait(full_ports_.wait_seconds(port, what.connection, shipment.chunk_wire_bytes,
                                                        head.seconds, free.seconds));
    } else {
        in_memory.add_bandwidth(alone(shipment.chunk_wire_bytes / bandwidth_alone(what.bytes)), false);
    }
    arrived(message, head, in_memory);
}

Stamp Network::control(const Transmission& what, const Stamp& ready) {
    Stamp at = ready;
    if (contention_) {
        const std::uint32_t index = port_of(what.source_node, rail_of_control(what, ready));
        Stamp& free = out_free_[index];
        at.raise_to(free);
        at = passed(at, fabric_.link.wire_seconds(0), out_full_, index);
        free = at;
    } else {
        at.add_bandwidth(alone(fabric_.link.wire_seconds(0)), false);
    }
    at.add_link_latency(fabric_.link.latency_seconds);
    at.add_latency_elsewhere(switches_.latency_seconds(what.source_node, what.destination_node));
    return at;
}

Stamp Network::copy(std::uint32_t node, std::uint64_t bytes, const Stamp& ready) {
    Stamp alone = ready;
    alone.add_bandwidth(fabric_.intranode.wire_seconds(bytes), true);
    return within_ceiling(node, bytes, ready, alone);
}

Stamp Network::copy_between(std::uint32_t source, std::uint32_t destination, std::uint32_t node,
                            std::uint64_t bytes, const Stamp& ready, double receiving) {
    if (!contention_) return copy(node, bytes, ready);
    const double seconds = fabric_.intranode.wire_seconds(bytes);
    Stamp& in = copied_in_[destination];
    if (rank_duplex_factor_ <= 1) {
        in.raise_to(ready);
        in.add_bandwidth(seconds, true);
    } else {
        Stamp& out = copied_out_[source];
        out.raise_to(ready);
        // The receiver copies a piece out while the sender copies the next one in.
        in.raise_to(out);
        copy_beside(seconds, in, copied_out_[destination]);
        copy_beside(seconds, out, copied_in_[source]);
        in.raise_to(out);
    }
    in = within_ceiling(node, bytes, ready, in);
    const Stamp copied = in;
    in.add_overhead(receiving);
    return copied;
}

/// Adds a copy of `seconds` to those of a rank in one direction. If it copies the other way then, both take
/// longer.
void Network::copy_beside(double seconds, Stamp& direction, Stamp& other) const {
    if (other.seconds > direction.seconds) {
        const double longer = (rank_duplex_factor_ - 1) * seconds;
        other.add_bandwidth(longer, true);
        seconds += longer;
    }
    direction.add_bandwidth(seconds, true);
}

/// Returns when a copy that is asked for at `ready` ends, and would end at `alone` without other ranks.
Stamp Network::within_ceiling(std::uint32_t node, std::uint64_t bytes, const Stamp& ready,
                              const Stamp& alone) {
    if (!contention_ || std::isinf(fabric_.intranode_total_bytes_per_second)) return alone;
    Stamp& memory = memory_[node];
    memory = later(memory, ready);
    memory.add_bandwidth(static_cast<double>(bytes) / fabric_.intranode_total_bytes_per_second, true);
    return later(alone, memory);
}

}  // namespace linkworth::replay
