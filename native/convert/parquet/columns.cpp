// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/parquet/columns.hpp"

#include <cmath>
#include <optional>
#include <unordered_map>

#include "convert/messages.hpp"
#include "trace/shape_codec.hpp"

namespace linkworth::convert {
namespace {

using tracefile::CallClass;
using tracefile::Shape;

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

void add(EventBatch::OptionalColumn& column, std::optional<std::int64_t> value) {
    column.values.push_back(value.value_or(0));
    column.present.push_back(value ? 1 : 0);
    column.any |= value.has_value();
}

template <class T>
void add(ListColumn& column, const std::vector<T>& values) {
    for (const T value : values) column.values.push_back(static_cast<std::int64_t>(value));
    column.end_row();
}

void add_fields(EventBatch& batch, const Shape& shape) {
    for (EventBatch::OptionalColumn& column : batch.fields) {
        column.values.push_back(0);
        column.present.push_back(0);
    }
    each_number(shape, [&batch](Field field, std::optional<std::int64_t> value) {
        if (!value) return;
        EventBatch::OptionalColumn& column = batch.fields[static_cast<std::size_t>(field)];
        column.values.back() = *value;
        column.present.back() = 1;
        column.any = true;
    });
}

void add_requests(EventBatch& batch, const tracefile::Event& event) {
    const auto number = [&](std::uint64_t reference) {
        return static_cast<std::int64_t>(event.next_request - reference);
    };
    for (const std::uint64_t reference : event.shape->references)
        batch.requests.values.push_back(number(reference));
    for (const tracefile::Completion& completion : event.shape->completions) {
        batch.requests.values.push_back(number(completion.reference));
        batch.matched_peers.values.push_back(completion.was_wildcard ? completion.peer : -1);
        batch.matched_tags.values.push_back(completion.was_wildcard ? completion.tag : -1);
    }
    batch.requests.end_row();
    batch.matched_peers.end_row();
    batch.matched_tags.end_row();
}

/// Calls `see` with each event and the messages that it sends and receives.
template <class See>
void each_event(const tracefile::Trace& trace, See see) {
    replay::Communicators communicators(trace.ranks());
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        TimedCursor cursor(trace.cursor(rank));
        RankMessages messages(trace, communicators, rank);
        TimedEvent timed;
        while (cursor.next(timed)) {
            messages.take(timed.event);
            see(timed, messages);
        }
    }
}

}  // namespace

std::size_t EventBatch::list_values() const {
    std::size_t values = 0;
    for (const ListColumn* list : {&requests, &matched_peers, &matched_tags, &send_counts, &recv_counts,
                                   &members, &remote_members, &sources, &destinations, &partition_list})
        values += list->values.size();
    return values;
}

EventBatch EventColumns::next(std::size_t most_rows, std::size_t enough_values) {
    EventBatch batch;
    TimedEvent timed;
    while (batch.rows() < most_rows && batch.list_values() < enough_values && cursor_.next(timed)) {
        const tracefile::Event& event = timed.event;
        const Shape& shape = *event.shape;
        const bool makes = tracefile::makes_request(shape.call_class);
        const bool completes = shape.call_class == CallClass::complete;
        batch.thread.push_back(static_cast<std::int32_t>(event.thread));
        batch.start_ns.push_back(static_cast<std::int64_t>(timed.start_ns));
        batch.duration_ns.push_back(static_cast<std::int64_t>(timed.end_ns - timed.start_ns));
        batch.gap_ns.push_back(nanoseconds(event.gap_seconds));
        batch.call.push_back(static_cast<std::int32_t>(shape.name));
        batch.entry.push_back(static_cast<std::int32_t>(shape.entry));
        batch.call_class.push_back(static_cast<std::uint8_t>(shape.call_class));
        add(batch.cpu_ns,
            event.cpu_seconds >= 0 ? std::optional(nanoseconds(event.cpu_seconds)) : std::nullopt);
        add(batch.request,
            makes ? std::optional(static_cast<std::int64_t>(event.next_request)) : std::nullopt);
        add(batch.mode,
            completes ? std::optional<std::int64_t>(static_cast<std::int64_t>(shape.mode)) : std::nullopt);
        add_fields(batch, shape);
        add_requests(batch, event);
        add(batch.send_counts, shape.send_counts);
        add(batch.recv_counts, shape.recv_counts);
        add(batch.members, shape.members);
        add(batch.remote_members, shape.remote_members);
        add(batch.sources, shape.sources);
        add(batch.destinations, shape.destinations);
        add(batch.partition_list, shape.partition_list);
    }
    return batch;
}

MessageColumns message_columns(const tracefile::Trace& trace) {
    std::unordered_map<std::uint64_t, std::int64_t> received_ns;
    each_event(trace, [&](const TimedEvent& timed, const RankMessages& messages) {
        for (const Message& message : messages.received())
            received_ns.emplace(message.key(), static_cast<std::int64_t>(timed.end_ns));
    });
    MessageColumns columns;
    each_event(trace, [&](const TimedEvent& timed, const RankMessages& messages) {
        for (const Message& message : messages.sent()) {
            const auto received = received_ns.find(message.key());
            columns.source.push_back(static_cast<std::int32_t>(message.source));
            columns.destination.push_back(static_cast<std::int32_t>(message.destination));
            columns.bytes.push_back(static_cast<std::int64_t>(message.bytes));
            columns.sent_ns.push_back(static_cast<std::int64_t>(timed.start_ns));
            columns.received_ns.push_back(received == received_ns.end() ? -1 : received->second);
        }
    });
    return columns;
}

}  // namespace linkworth::convert
