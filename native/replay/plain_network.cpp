// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Path of messages if nodes share one NIC each and nothing else: `network.cpp` without everything that has
/// no effect then.
#include "replay/network.hpp"

namespace linkworth::replay {

/// Simple form of `send_alone`.
void Network::send_plainly(std::uint32_t message, const Transmission& what, const Stamp& ready) {
    Shipment& shipment = shipment_of(message);
    shipment.what.destination_node = what.destination_node;
    const SizeCosts& costs = costs_.of(what.bytes);
    shipment.chunk_wire_bytes = costs.wire_bytes;
    shipment.rail = 0;
    Stamp& free = out_free_[what.source_node];
    if (!(free.seconds > ready.seconds)) free = ready;
    Stamp& head = shipment.at;
    head = free;
    head.add_link_latency(fabric_.link.latency_seconds);
    if (costs.added_latency > 0) head.add_latency_elsewhere(costs.added_latency);
    const double stall = restarts_.stall_seconds(what.connection, what.bytes, ready.seconds);
    if (stall > 0) head.add_wait(stall);
    if (what.order != nullptr) {
        head.raise_to(*what.order);
        *what.order = head;
    }
    const double start = free.seconds;
    free.add_bandwidth(shipment.chunk_wire_bytes / rail_bandwidth_, false);
    if (what.report_when_left) leave_plainly(message, start, free, stall);
    const double taken = free.seconds - start;
    if (taken < fabric_.link.gap_seconds) free.add_overhead(fabric_.link.gap_seconds - taken);
    queue_.push(head.seconds, Happening::whole, message);
}

/// Simple form of `send_chunk`.
void Network::send_chunk_plainly(std::uint32_t node) {
    const std::uint32_t message = waiting_.take_chunk(out_[node]);
    Shipment& shipment = shipments_[message];
    const std::uint32_t parcel = parcels_.take_unset();
    Parcel& chunk = parcels_[parcel];
    Stamp& free = out_free_[node];
    if (!(free.seconds > shipment.at.seconds)) free = shipment.at;
    chunk.message = message;
    chunk.head = free;
    const double start = free.seconds;
    free.add_bandwidth(shipment.chunk_wire_bytes / rail_bandwidth_, false);
    chunk.taken_seconds = free.seconds - start;
    --shipment.unsent;
    const bool tells =
        shipment.what.report_when_left && shipment.unsent * shipment.chunk_wire_bytes <= held_wire_bytes_;
    Stamp left;
    if (tells) left = free;
    if (!shipment.head_left && chunk.taken_seconds < fabric_.link.gap_seconds)
        free.add_overhead(fabric_.link.gap_seconds - chunk.taken_seconds);
    set_head(shipment, chunk.head);
    if (!out_[node].idle()) queue_.push(free.seconds, Happening::port, node);
    queue_.push(chunk.head.seconds, Happening::parcel, parcel);
    if (tells) leave(message, start, left);
}

void Network::receive_chunk_plainly(std::uint32_t index) {
    const Parcel& chunk = parcels_[index];
    parcels_.release(index);
    Stamp changed;
    const Stamp& in_memory = receive(shipments_[chunk.message], chunk.head, chunk.taken_seconds, changed);
    arrived(chunk.message, chunk.head, in_memory);
}

}  // namespace linkworth::replay
