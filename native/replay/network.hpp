// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Resources that competing messages share between nodes and inside them: NICs, switches and memories.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "calls/pool.hpp"
#include "replay/by_size.hpp"
#include "replay/event_queue.hpp"
#include "replay/fabric.hpp"
#include "replay/full_ports.hpp"
#include "replay/pairs.hpp"
#include "replay/port.hpp"
#include "replay/recording.hpp"
#include "replay/restarts.hpp"
#include "replay/stamp.hpp"
#include "replay/switches.hpp"

namespace linkworth::replay {

/// Receives notice of the messages on their way between nodes.
class NetworkListener {
  public:
    /// The last byte leaves the sender's NIC at `left`, or the kernel has buffered the rest. Only for
    /// messages sent with `report_when_left`.
    virtual void on_left(std::uint32_t message, const Stamp& left) = 0;
    /// The first of several chunks has arrived: the message is known, but not all of its data is there.
    virtual void on_head(std::uint32_t message, const Stamp& at) = 0;
    /// The last byte is in the receiver's memory at `at`. Comes when the last chunk's first byte does.
    virtual void on_arrival(std::uint32_t message, const Stamp& at) = 0;

  protected:
    ~NetworkListener() = default;
};

/// A message that goes to another node. Messages are named by indices that the caller chooses.
struct Transmission {
    std::uint32_t source_node = 0;
    std::uint32_t destination_node = 0;
    std::uint64_t connection = 0;  ///< the same for all messages from one rank to another
    std::uint64_t bytes = 0;
    Stamp* order = nullptr;  ///< if set: heads leave in order, none before the last that is kept here
    bool report_when_left = false;
};

/// Messages of one chunk that find their NIC idle, or only such messages before them, are served in the order
/// they came. As soon as a longer one comes, a NIC sends a chunk of each connection in turn. Switches and
/// receiving NICs serve chunks in the order they come.
class Network {
  public:
    /// `ranks_on_node`: [node]. `ranks`: those of `Transmission::connection`, with further threads. Without
    /// `contention` every message has the network for itself. `with_loads`: keep how busy each link is.
    Network(const Fabric& fabric, bool contention, const std::vector<std::uint32_t>& ranks_on_node,
            std::uint64_t ranks, EventQueue& queue, NetworkListener& listener, bool with_loads);

    /// NICs node by node, then the links between switches.
    std::vector<LinkLoad> loads() const;

    void send(std::uint32_t message, const Transmission& what, const Stamp& ready) {
        // Nothing but what its NIC has begun is before it.
        if (plain_ && what.bytes <= chunk_bytes_[what.source_node] && out_[what.source_node].idle())
            send_plainly(message, what, ready);
        else
            send_shared(message, what, ready);
    }
    /// Sends a request to send or its answer, without data, over the rail of a short message. It waits for
    /// what its NIC has begun. Returns when it arrives.
    Stamp control(const Transmission& what, const Stamp& ready);

    /// TCP carries all data from one rank to another over one rail as one stream. A request to send, or its
    /// answer, waits for the data before it. `bytes`: of the message that it is for.
    bool is_behind_data(const Transmission& what, std::uint64_t bytes, const Stamp& ready) const {
        return bytes < fabric_.tcp.one_stream_below_bytes && waits_at(rail_of_control(what, ready), what);
    }
    /// Form of `control` if `is_behind_data`. The listener is notified of the arrival.
    void send_behind_data(std::uint32_t message, const Transmission& what, const Stamp& ready);

    /// The kernel takes the whole message at once, since no data of its connection is before it.
    bool fits_socket_buffer(const Transmission& what, const Stamp& ready) const {
        if (static_cast<double>(what.bytes) > fabric_.tcp.send_buffer_bytes * rails_of(what.bytes))
            return false;
        return striped(what.bytes) ? !waits_anywhere(what) : !waits_at(rail_of_control(what, ready), what);
    }

    /// Sends a message that has the network for itself. Its last byte is in memory `at`, and has `left` (or
    /// is in the kernel) before, if that is requested.
    void carry_alone(const Transmission& transmission, const Stamp& ready, Stamp& at, Stamp* left);

    /// A rank copies at its own rate, and all copies of a node share its ceiling.
    Stamp copy(std::uint32_t node, std::uint64_t bytes, const Stamp& ready);
    /// A message inside a node. Its receiver copies one after the other, and its sender too if it copies.
    /// `receiving`: CPU time of the receiver for the message, if it copies itself, and nothing meanwhile.
    Stamp copy_between(std::uint32_t source, std::uint32_t destination, std::uint32_t node,
                       std::uint64_t bytes, const Stamp& ready, double receiving = 0);

    /// Prefetches the shipment of a message that moves soon.
    void prefetch(std::uint32_t message) const { prefetch_lines(&shipments_[message], sizeof(Shipment)); }

    /// A rank of the node soon sends.
    void prefetch_sender(std::uint32_t node) const {
        prefetch_lines(&out_free_[port_of(node, 0)], sizeof(Stamp));
    }
    /// The message soon arrives; `prefetch` came before.
    void prefetch_receiver(std::uint32_t message) const {
        const Shipment& shipment = shipments_[message];
        prefetch_lines(&in_[port_of(shipment.what.destination_node, shipment.rail)], sizeof(Stamp));
    }

    void prefetch_parcel(std::uint32_t parcel) const { parcels_.prefetch(parcel); }
    /// `prefetch_parcel` came before.
    std::uint32_t message_of_parcel(std::uint32_t parcel) const { return parcels_[parcel].message; }
    /// A NIC is soon free for the next chunk.
    void prefetch_port(std::uint32_t port) const {
        prefetch_lines(&out_[port], sizeof(OutPort));
        prefetch_lines(&out_free_[port], sizeof(Stamp));
    }
    /// `prefetch_port` came before.
    void prefetch_turn(std::uint32_t port) const { waiting_.prefetch_turn(out_[port]); }

    /// All that has one chunk goes plainly, and the caller takes it instead of `on_whole`.
    bool is_plain() const { return plain_; }
    /// When a message of one chunk is in memory. The result is a part of this network or `changed`.
    const Stamp& receive_plainly(std::uint32_t message, Stamp& changed) {
        const Shipment& shipment = shipments_[message];
        return receive(shipment, shipment.at, 0, changed);
    }

    // Called for happenings of the queue.
    void on_whole(std::uint32_t message);
    void on_parcel(std::uint32_t parcel) { plain_ ? receive_chunk_plainly(parcel) : move_parcel(parcel); }
    void on_port(std::uint32_t port) { plain_ ? send_chunk_plainly(port) : send_chunk(port); }

  private:
    /// A message under way.
    struct Shipment {
        Stamp at;  ///< ready to leave; of a message of one chunk, then its head at the other side
        Transmission what;
        double chunk_wire_bytes = 0;
        double stall_seconds = 0;  ///< that TCP adds
        std::uint16_t rail = 0;
        std::uint16_t unsent = 0;  ///< chunks
        std::uint16_t unarrived = 0;
        bool head_left = false;
        bool head_arrived = false;
    };
    static_assert(sizeof(Shipment) == 2 * cache_line_bytes,
                  "with many messages each line is one from memory");
    /// A chunk between two ports.
    struct Parcel {
        Stamp head;
        Stamp tail;
        std::uint32_t message = 0;
        std::uint32_t rail = 0;
        std::uint32_t hop = 0;
        double taken_seconds = 0;  ///< by the sender's NIC
    };

    std::uint32_t port_of(std::uint32_t node, std::uint32_t rail) const {
        return node * fabric_.rails + rail;
    }
    bool striped(std::uint64_t bytes) const;
    /// Each rail has a connection of its own.
    std::uint32_t rails_of(std::uint64_t bytes) const { return striped(bytes) ? fabric_.rails : 1; }
    /// Returns the shares of a striped message on the rail that carries the most of it. A share is one
    /// `rails`-th of the message.
    std::uint32_t longest_shares(std::uint64_t bytes) const;
    /// Returns the bandwidth of a message that has all rails for itself.
    double bandwidth_alone(std::uint64_t bytes) const;
    std::uint32_t choose_rail(const Transmission& what);
    std::uint32_t rail_in_order(const Transmission& what) const;
    std::uint32_t rail_free_first(const Transmission& what, const Stamp& ready) const;
    std::uint32_t rail_of_control(const Transmission& what, const Stamp& ready) const;
    /// Data of the message's connection waits at a rail of its sender, or at any.
    bool waits_at(std::uint32_t rail, const Transmission& what) const {
        return waiting_.waits(port_of(what.source_node, rail), what.connection);
    }
    bool waits_anywhere(const Transmission& what) const;
    /// Returns the rail of the connection's next message by `stripe_step`, if it uses only one.
    std::uint32_t step_on(std::uint64_t connection);
    /// Rail of a connection that has gone on by `gone` rails, and rail of a connection that has only one.
    std::uint32_t rail_after(std::uint32_t gone) const;
    std::uint32_t rail_of_connection(std::uint64_t connection) const;
    bool steps() const {
        return fabric_.stripe_step > 0 && fabric_.rails > 1 && fabric_.aggregation == Aggregation::stripe;
    }
    /// Returns the rail on which a striped message begins. Uneven messages begin on one rail after the other.
    std::uint32_t first_rail(const Transmission& what);
    /// Returns the shipment of a message. Its index is new, or was used before.
    Shipment& shipment_of(std::uint32_t message) {
        if (message >= shipments_.size()) [[unlikely]]
            shipments_.resize(message + std::size_t{1});
        return shipments_[message];
    }
    void copy_beside(double seconds, Stamp& direction, Stamp& other) const;
    Stamp within_ceiling(std::uint32_t node, std::uint64_t bytes, const Stamp& ready, const Stamp& alone);
    void send_plainly(std::uint32_t message, const Transmission& what, const Stamp& ready);
    void send_shared(std::uint32_t message, const Transmission& what, const Stamp& ready);
    double share_of(const Transmission& what, std::uint32_t rail);
    void send_chunk(std::uint32_t port);
    void send_chunk_plainly(std::uint32_t node);
    void move_parcel(std::uint32_t parcel);
    void receive_chunk_plainly(std::uint32_t parcel);
    const Stamp& receive(const Shipment& shipment, const Stamp& head, double sent_seconds, Stamp& changed);
    void arrived(std::uint32_t message, const Stamp& head, const Stamp& in_memory);
    void send_in_chunks(std::uint32_t message, std::uint32_t rail, std::uint32_t chunks, bool on_all_rails);
    void send_alone(std::uint32_t message);
    void leave(std::uint32_t message, double start_seconds, const Stamp& left);
    void leave_plainly(std::uint32_t message, double start_seconds, const Stamp& left, double stall_seconds);
    Stamp head_after(Shipment& shipment, const Stamp& start);
    void set_head(Shipment& shipment, Stamp& head);
    void arrive(std::uint32_t message, std::uint32_t rail, const Stamp& head, const Stamp& tail);
    /// When bytes that take `wire` seconds at the link's rate are out, if their first is at `start`. `full`:
    /// by port, when its token bucket is full again.
    Stamp passed(const Stamp& start, double wire, std::vector<Stamp>& full, std::uint32_t port) const;
    /// Seconds of a message's bytes on a link without other traffic.
    double alone(double wire) const { return wire > bucket_seconds_ ? wire - bucket_seconds_ : 0; }

    /// Seconds in which a rail passes what takes it `wire` seconds alone, from `start` on, while its other
    /// direction is busy until `other_free`.
    double beside_other_direction(double wire, const Stamp& start, const Stamp& other_free) const {
        return other_free.seconds > start.seconds ? wire * duplex_factor_ : wire;
    }

    struct SizeCosts {
        double wire_bytes;
        double added_latency;
    };
    struct CostsOfSize {
        const Path* link;
        SizeCosts operator()(std::uint64_t bytes) const {
            return {link->wire_bytes(bytes), link->added_latency.at(bytes)};
        }
    };

    const Fabric& fabric_;
    bool contention_;
    EventQueue& queue_;
    NetworkListener& listener_;
    double rail_bandwidth_;                   ///< bytes per second of one rail for a message on one
    double striped_bandwidth_;                ///< of one rail for a message on all
    double held_wire_bytes_;                  ///< of a connection that the kernel buffers
    double duplex_factor_;                    ///< of a rail's time if both of its directions are busy
    double bucket_seconds_;                   ///< that an idle link sends at once; 0: as its rate allows
    std::vector<std::uint64_t> chunk_bytes_;  ///< [node]: bytes that its NIC sends of one connection in turn
    std::vector<OutPort> out_;                ///< [node x rails + rail]
    LargeVector<Stamp> out_free_;             ///< likewise: when what it sends, or has promised to, is out
    LargeVector<Stamp> in_;                   ///< likewise: when it is free
    std::vector<Stamp> out_full_;             ///< as out_; empty if links have no bucket
    std::vector<Stamp> in_full_;              ///< likewise
    std::vector<Stamp> memory_;               ///< [node]
    double rank_duplex_factor_;               ///< of a copy's time if its rank copies the other way as well
    std::vector<Stamp> copied_in_;            ///< [rank]: when all is there that it receives inside its node
    std::vector<Stamp> copied_out_;           ///< likewise, of what it sends; empty if only receivers copy
    std::vector<double> waiting_bytes_;       ///< as out_, of its chunks; empty with one rail
    std::vector<std::uint32_t> next_rail_;    ///< [node]: where its next uneven message begins
    std::unordered_map<std::uint64_t, std::uint32_t>
        steps_;  ///< by connection: rails gone on with its messages
    std::unordered_map<std::uint64_t, bool>
        opposite_share_;                 ///< by connection: its next draw is the opposite
    LargeVector<Shipment> shipments_;    ///< [message]
    LargeVector<Stamp> last_in_memory_;  ///< [message of several chunks]: of those that have arrived
    Pool<Parcel> parcels_;
    std::vector<LoadHistory> out_load_;  ///< as out_; empty if loads are not kept
    std::vector<LoadHistory> in_load_;
    WaitingConnections waiting_;
    Switches switches_;
    Restarts restarts_;
    FullPorts full_ports_;
    Pairs pairs_;
    BySize<CostsOfSize> costs_;
    /// Nodes share one NIC each and nothing else. Links have no bucket, and ports no bound. Both directions
    /// of a NIC are independent, and those of a pair of ranks.
    bool plain_;
};

/// Makes of a chunk's start, in its place, when its first byte is at the other side (of the first switch).
inline void Network::set_head(Shipment& shipment, Stamp& head) {
    head.add_link_latency(fabric_.link.latency_seconds);
    head.add_latency_elsewhere(costs_.of(shipment.what.bytes).added_latency);
    head.add_wait(shipment.stall_seconds);
    if (shipment.head_left) return;
    shipment.head_left = true;
    if (shipment.what.order == nullptr) return;
    head.raise_to(*shipment.what.order);
    *shipment.what.order = head;
}

/// A chunk is in the receiver's memory.
inline void Network::arrived(std::uint32_t message, const Stamp& head, const Stamp& in_memory) {
    Shipment& shipment = shipments_[message];
    if (shipment.unarrived == 1 && !shipment.head_arrived) {
        listener_.on_arrival(message, in_memory);
        return;
    }
    last_in_memory_[message].raise_to(in_memory);
    if (!shipment.head_arrived) {
        shipment.head_arrived = true;
        listener_.on_head(message, head);
    }
    if (--shipments_[message].unarrived == 0) {
        const Stamp last = last_in_memory_[message];
        listener_.on_arrival(message, last);
    }
}

/// Returns when a plainly sent chunk is in memory; the sender's NIC took `sent_seconds` for it. The result is
/// a part of this network or `changed`.
inline const Stamp& Network::receive(const Shipment& shipment, const Stamp& head, double sent_seconds,
                                     Stamp& changed) {
    Stamp& free = in_[shipment.what.destination_node];
    if (!(free.seconds > head.seconds)) free = head;
    const double start = free.seconds;
    free.add_bandwidth(shipment.chunk_wire_bytes / rail_bandwidth_, false);
    const double taken = free.seconds - start;
    const bool tail_is_later = head.seconds + sent_seconds > free.seconds;
    if (!tail_is_later && taken >= fabric_.link.gap_seconds) return free;
    changed = free;
    if (tail_is_later) {
        changed = head;
        changed.add_bandwidth(sent_seconds, false);
    }
    if (taken < fabric_.link.gap_seconds) free.add_overhead(fabric_.link.gap_seconds - taken);
    return changed;
}

}  // namespace linkworth::replay
