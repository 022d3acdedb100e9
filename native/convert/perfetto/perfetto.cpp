// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <unordered_map>
#include <utility>

#include "calls/call_numbers.hpp"
#include "calls/names.hpp"
#include "convert/messages.hpp"
#include "convert/perfetto/protobuf.hpp"
#include "convert/text_file.hpp"
#include "convert/timed_cursor.hpp"
#include "convert/timeline.hpp"

namespace linkworth::convert {
namespace {

// Field numbers, by message of perfetto_trace.proto.
namespace trace_fields {
constexpr std::uint32_t packet = 1;
}
namespace packet_fields {
constexpr std::uint32_t clock_snapshot = 6;
constexpr std::uint32_t timestamp = 8;
constexpr std::uint32_t sequence_id = 10;
constexpr std::uint32_t track_event = 11;
constexpr std::uint32_t interned_data = 12;
constexpr std::uint32_t sequence_flags = 13;
constexpr std::uint32_t timestamp_clock_id = 58;
constexpr std::uint32_t defaults = 59;
constexpr std::uint32_t track_descriptor = 60;
}  // namespace packet_fields
namespace descriptor_fields {
constexpr std::uint32_t uuid = 1;
constexpr std::uint32_t name = 2;
constexpr std::uint32_t parent_uuid = 5;
constexpr std::uint32_t child_ordering = 11;
constexpr std::uint32_t sibling_order_rank = 12;
}  // namespace descriptor_fields
namespace event_fields {
constexpr std::uint32_t category_iids = 3;
constexpr std::uint32_t debug_annotations = 4;
constexpr std::uint32_t type = 9;
constexpr std::uint32_t name_iid = 10;
constexpr std::uint32_t track_uuid = 11;
constexpr std::uint32_t flow_ids = 47;
constexpr std::uint32_t terminating_flow_ids = 48;
}  // namespace event_fields
namespace interned_fields {
constexpr std::uint32_t event_categories = 1;
constexpr std::uint32_t event_names = 2;
constexpr std::uint32_t debug_annotation_names = 3;
constexpr std::uint32_t iid = 1;
constexpr std::uint32_t name = 2;
}  // namespace interned_fields
constexpr std::uint32_t annotation_name_iid = 1;
constexpr std::uint32_t annotation_int_value = 4;
constexpr std::uint32_t snapshot_clocks = 1;
constexpr std::uint32_t clock_id = 1;
constexpr std::uint32_t clock_timestamp = 2;
constexpr std::uint32_t clock_is_incremental = 3;
constexpr std::uint32_t default_track_event = 11;

constexpr std::uint64_t slice_begin = 1;
constexpr std::uint64_t slice_end = 2;
constexpr std::uint64_t state_cleared = 1;
constexpr std::uint64_t needs_state = 2;
constexpr std::uint64_t ordered_explicitly = 3;
constexpr std::uint64_t boot_time = 6;
/// A sequence's own clock: each time counts from the one before it.
constexpr std::uint64_t delta_clock = 64;

/// The packets of one thread, which have a clock and names of their own.
struct Sequence {
    std::uint64_t id = 0;
    std::uint64_t written_ns = 0;  ///< time of the latest packet
};

class PerfettoWriter {
  public:
    PerfettoWriter(const tracefile::Trace& trace, const std::string& path,
                   const std::vector<std::string>& hosts)
        : trace_(trace), hosts_(hosts), communicators_(trace.ranks()), file_(path) {}

    TimelineResult write() {
        describe_tracks();
        for (std::uint32_t rank = 0; rank < trace_.ranks(); ++rank) write_rank(rank);
        file_.close();
        result_.bytes = file_.bytes();
        return result_;
    }

  private:
    static std::uint64_t track_of(std::uint32_t rank, std::uint32_t thread = 0) {
        return (std::uint64_t{thread} << 32U) + rank + 1;
    }
    std::uint64_t track_of_host(std::size_t host) const { return trace_.ranks() + host + 1; }

    void put() {
        framed_.clear();
        framed_.message(trace_fields::packet, packet_);
        file_ << framed_.bytes();
        packet_.clear();
    }

    void describe(ProtobufMessage& descriptor) {
        packet_.number(packet_fields::sequence_id, 1);
        packet_.message(packet_fields::track_descriptor, descriptor);
        put();
        descriptor.clear();
    }

    /// Describes a track for each host if hosts are known. Below it, or else at the top, there is one for
    /// each rank, in their order.
    void describe_tracks() {
        ProtobufMessage descriptor;
        std::unordered_map<std::string_view, std::size_t> numbers;
        for (const std::string& host : hosts_) {
            const auto [found, fresh] = numbers.try_emplace(host, numbers.size());
            if (!fresh) continue;
            descriptor.number(descriptor_fields::uuid, track_of_host(found->second))
                .bytes(descriptor_fields::name, host)
                .number(descriptor_fields::child_ordering, ordered_explicitly);
            describe(descriptor);
        }
        for (std::uint32_t rank = 0; rank < trace_.ranks(); ++rank) {
            descriptor.number(descriptor_fields::uuid, track_of(rank))
                .bytes(descriptor_fields::name, "rank " + std::to_string(rank));
            if (rank < hosts_.size())
                descriptor.number(descriptor_fields::parent_uuid, track_of_host(numbers[hosts_[rank]]));
            descriptor.number(descriptor_fields::sibling_order_rank, rank);
            describe(descriptor);
        }
    }

    static void intern(ProtobufMessage& into, std::uint32_t table, std::uint64_t iid, std::string_view name) {
        ProtobufMessage entry;
        entry.number(interned_fields::iid, iid).bytes(interned_fields::name, name);
        into.message(table, entry);
    }

    /// Returns the sequence of one of the rank's threads, and begins it if necessary.
    Sequence& sequence_of(std::uint32_t rank, std::uint32_t thread) {
        while (sequences_.size() <= thread)
            begin_sequence(rank, static_cast<std::uint32_t>(sequences_.size()));
        return sequences_[thread];
    }

    /// Writes what the packets of a sequence refer to: names by number, the track, the clock.
    void begin_sequence(std::uint32_t rank, std::uint32_t thread) {
        if (thread > 0) {
            ProtobufMessage descriptor;
            descriptor.number(descriptor_fields::uuid, track_of(rank, thread))
                .bytes(descriptor_fields::name,
                       "rank " + std::to_string(rank) + " thread " + std::to_string(thread))
                .number(descriptor_fields::parent_uuid, track_of(rank));
            describe(descriptor);
        }
        sequences_.push_back({next_sequence_++, 0});
        ProtobufMessage interned;
        for (std::size_t number = 0; number <= static_cast<std::size_t>(tracefile::last_class); ++number)
            intern(interned, interned_fields::event_categories, number + 1,
                   tracefile::class_name(static_cast<tracefile::CallClass>(number)));
        for (std::size_t name = 0; name < trace_.names().size(); ++name)
            intern(interned, interned_fields::event_names, name + 1, trace_.names()[name]);
        for (std::size_t field = 0; field < number_count; ++field)
            intern(interned, interned_fields::debug_annotation_names, field + 1,
                   column_name(static_cast<Field>(field)));
        intern(interned, interned_fields::debug_annotation_names, cpu_iid, "cpu_before_ns");
        ProtobufMessage boot;
        boot.number(clock_id, boot_time).number(clock_timestamp, 0);
        ProtobufMessage delta;
        delta.number(clock_id, delta_clock).number(clock_timestamp, 0).number(clock_is_incremental, 1);
        ProtobufMessage snapshot;
        snapshot.message(snapshot_clocks, boot).message(snapshot_clocks, delta);
        ProtobufMessage track;
        track.number(event_fields::track_uuid, track_of(rank, thread));
        ProtobufMessage defaults;
        defaults.number(packet_fields::timestamp_clock_id, delta_clock).message(default_track_event, track);
        packet_.number(packet_fields::sequence_id, sequences_[thread].id)
            .number(packet_fields::sequence_flags, state_cleared | needs_state)
            .message(packet_fields::defaults, defaults)
            .message(packet_fields::interned_data, interned)
            // The snapshot's own time, on the clock that it sets.
            .number(packet_fields::timestamp, 0)
            .number(packet_fields::timestamp_clock_id, boot_time)
            .message(packet_fields::clock_snapshot, snapshot);
        put();
    }

    void put_event(Sequence& sequence, std::uint64_t ns) {
        packet_.number(packet_fields::timestamp, ns - std::exchange(sequence.written_ns, ns))
            .number(packet_fields::sequence_id, sequence.id)
            .number(packet_fields::sequence_flags, needs_state)
            .message(packet_fields::track_event, event_);
        put();
        event_.clear();
    }

    void annotate(std::uint64_t name_iid, std::int64_t value) {
        annotation_.clear();
        annotation_.number(annotation_name_iid, name_iid)
            .number(annotation_int_value, static_cast<std::uint64_t>(value));
        event_.message(event_fields::debug_annotations, annotation_);
    }

    void write_rank(std::uint32_t rank) {
        sequences_.clear();
        TimedCursor cursor(trace_.cursor(rank));
        RankMessages messages(trace_, communicators_, rank);
        TimedEvent timed;
        while (cursor.next(timed)) {
            const tracefile::Shape& shape = *timed.event.shape;
            messages.take(timed.event);
            event_.number(event_fields::type, slice_begin)
                .number(event_fields::category_iids, static_cast<std::uint64_t>(shape.call_class) + 1)
                .number(event_fields::name_iid, shape.name + std::uint64_t{1});
            each_number(shape, [this](Field field, std::optional<std::int64_t> value) {
                if (value) annotate(static_cast<std::uint64_t>(field) + 1, *value);
            });
            if (timed.event.cpu_seconds >= 0)
                annotate(cpu_iid, static_cast<std::int64_t>(timed.event.cpu_seconds * 1e9 + 0.5));
            for (const Message& message : messages.sent())
                event_.fixed64(event_fields::flow_ids, message.key());
            for (const Message& message : messages.received())
                event_.fixed64(event_fields::terminating_flow_ids, message.key());
            Sequence& sequence = sequence_of(rank, timed.event.thread);
            put_event(sequence, timed.start_ns);
            event_.number(event_fields::type, slice_end);
            put_event(sequence, timed.end_ns);
            ++result_.events;
            result_.messages += messages.sent().size();
        }
        result_.unplaced += messages.unplaced();
    }

    static constexpr std::uint64_t cpu_iid = number_count + 1;

    const tracefile::Trace& trace_;
    const std::vector<std::string>& hosts_;
    replay::Communicators communicators_;
    TextFile file_;
    ProtobufMessage packet_;
    ProtobufMessage framed_;
    ProtobufMessage event_;
    ProtobufMessage annotation_;
    std::vector<Sequence> sequences_;  ///< of the rank that is being written, by thread
    std::uint64_t next_sequence_ = 2;  ///< on the first one the tracks are described
    TimelineResult result_;
};

}  // namespace

TimelineResult write_perfetto(const tracefile::Trace& trace, const std::string& path,
                              const std::vector<std::string>& hosts) {
    return PerfettoWriter(trace, path, hosts).write();
}

}  // namespace linkworth::convert
