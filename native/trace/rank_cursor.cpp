// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "trace/column_decoder.hpp"
#include "trace/shape_codec.hpp"
#include "trace/thread_times.hpp"
#include "trace/trace.hpp"
#include "trace/trace_data.hpp"
#include "trace/varint.hpp"
#include "trace/zstd.hpp"

namespace linkworth::tracefile {
namespace {

// A record has at most four varints. With this many zero bytes after a block, one can be read before its end
// is checked.
constexpr std::size_t padding = 4 * longest_varint + 8;
/// Rows decoded at once: enough to be worth the turn, few enough to stay in the cache with those of other
/// ranks.
constexpr std::size_t most_rows = 32;

bool names_impossible_thread(const EventNote& note) { return !note.is_overlap && note.value >= most_threads; }

/// Decompressor that cursors share, because blocks are independent and it is larger than one rank's share of
/// them.
Decompressor& decompressor() {
    thread_local Decompressor shared;
    return shared;
}

}  // namespace

/// State of a cursor for one thread.
struct RankCursor::ThreadRows {
    std::uint32_t thread = 0;
    std::vector<Pause> pauses;
    std::size_t next_pause = 0;
    std::uint64_t shown = 0;      ///< events, up to the latest row that `next` may take
    std::uint64_t read = 0;       ///< events, up to the latest row that was read
    std::size_t pause_ahead = 0;  ///< the first that is not before the event to be read next
    StreamClock clock;
    double previous_end = 0;
    // State of the current block.
    std::uint64_t block = 0;
    std::uint32_t thread_of_row = 0;
    std::uint64_t next_request = 0;
    // State of the decoded rows. The thread's are moved to the front.
    std::uint32_t kept = 0;
    std::uint32_t next_row = 0;
    std::array<std::uint64_t, most_rows> requests{};  ///< [row] number of the next request before it
};

struct RankCursor::State {
    explicit State(std::pmr::memory_resource* its_memory) : memory(its_memory), shapes(its_memory) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        for (Shape* const shape : shapes) memory.delete_object(shape);
    }

    std::pmr::polymorphic_allocator<> memory;
    std::shared_ptr<const TraceData> data;
    std::uint32_t rank = 0;
    std::size_t next_block = 0;
    IndexEntry block;
    bool is_open = false;  ///< the block may have further events
    bool in_columns = false;
    double seconds_per_tick = 0;
    double now = 0;  ///< seconds since the block's base; kept if the trace is cut to its beginning
    ColumnDecoder columns;
    std::vector<std::uint8_t> raw;
    const std::uint8_t* position = nullptr;  ///< in `raw`
    const std::uint8_t* end = nullptr;
    std::vector<EventNote> notes;  ///< of the rows that are decoded; `event` is the number of the row
    std::size_t next_note = 0;
    std::array<EventRow, most_rows> rows;
    std::vector<Arguments> arguments;  ///< by row
    std::pmr::vector<Shape*> shapes;   ///< kept from block to block for their memory
    std::vector<Damage> damage;
    bool met_overlap = false;
    std::unique_ptr<ThreadRows> only;  ///< if all but one thread's events are left out
};

RankCursor::RankCursor(std::shared_ptr<const TraceData> data, std::uint32_t rank,
                       std::pmr::memory_resource* memory)
    : state_(std::pmr::polymorphic_allocator<>(memory).new_object<State>(memory)) {
    rows_ = state_->rows.data();
    state_->rank = rank;
    state_->next_block = data->first_block[rank];
    state_->data = std::move(data);
}

void RankCursor::Release::operator()(State* state) const {
    std::pmr::polymorphic_allocator<> memory = state->memory;
    memory.delete_object(state);
}

RankCursor::RankCursor(RankCursor&&) noexcept = default;
RankCursor& RankCursor::operator=(RankCursor&&) noexcept = default;
RankCursor::~RankCursor() = default;

bool RankCursor::met_overlap() const { return state_->met_overlap; }

const std::vector<Damage>& RankCursor::damage() const { return state_->damage; }

std::span<EventRow> RankCursor::own_rows() const { return state_->rows; }

bool RankCursor::refill(std::span<EventRow> rows) {
    if (state_->only != nullptr) [[unlikely]]
        return show_thread_rows(*state_->only);
    return read_rows(rows);
}

void RankCursor::only(std::uint32_t thread, std::vector<Pause> pauses) {
    state_->only = std::make_unique<ThreadRows>();
    state_->only->thread = thread;
    state_->only->pauses = std::move(pauses);
}

void RankCursor::pass_pause() { ++state_->only->next_pause; }

bool RankCursor::show_thread_rows(ThreadRows& only) {
    std::uint64_t until = UINT64_MAX;
    if (only.next_pause < only.pauses.size()) until = only.pauses[only.next_pause].events;
    if (only.shown >= until) return false;
    while (only.next_row == only.kept) {
        if (!read_rows(own_rows())) return false;
        keep_thread_rows(only);
    }
    taken_ = only.next_row;
    filled_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(only.kept, taken_ + (until - only.shown)));
    only.shown += filled_ - taken_;
    only.next_row = filled_;
    return true;
}

/// Puts the thread's rows in front of those that were read, with the times that the thread had.
void RankCursor::keep_thread_rows(ThreadRows& only) {
    State& state = *state_;
    if (only.block != blocks_) {
        only.block = blocks_;
        only.thread_of_row = 0;
        only.next_request = block_next_request_;
    }
    only.kept = only.next_row = 0;
    auto note = state.notes.begin();
    for (std::uint32_t number = 0; number < filled_; ++number) {
        EventRow row = state.rows[number];
        double overlap = 0;
        for (; note != state.notes.end() && note->event == number; ++note)
            if (note->is_overlap)
                overlap = static_cast<double>(note->value) * state.seconds_per_tick;
            else
                only.thread_of_row = static_cast<std::uint32_t>(note->value);
        const CallTimes times = only.clock.next(row.gap_seconds, row.duration_seconds, overlap);
        if (only.thread_of_row == only.thread) {
            auto& ahead = only.pause_ahead;
            while (ahead < only.pauses.size() && only.pauses[ahead].events < only.read) ++ahead;
            const bool begins = ahead < only.pauses.size() && only.pauses[ahead].events == only.read &&
                                only.pauses[ahead].begins;
            const ThreadGap gap =
                begins ? ThreadGap{}
                       : thread_gap(times.start, only.previous_end, row.gap_seconds, row.cpu_seconds);
            row.gap_seconds = gap.seconds;
            row.cpu_seconds = gap.cpu_seconds;
            row.duration_seconds += overlap;
            row.has_notes = true;
            only.previous_end = times.end;
            only.requests[only.kept] = only.next_request;
            ++only.read;
            if (row.has_arguments) state.arguments[only.kept] = state.arguments[number];
            state.rows[only.kept++] = row;
        }
        only.next_request += makes_request(shapes_[row.shape]->call_class) ? 1 : 0;
    }
}

bool RankCursor::read_rows(std::span<EventRow> rows) {
    State& state = *state_;
    taken_ = 0;
    filled_ = 0;
    while (filled_ == 0) {
        if (!state.is_open && !load_next_block()) return false;
        state.notes.clear();
        state.next_note = 0;
        filled_ = static_cast<std::uint32_t>(
            state.in_columns ? state.columns.read(rows, state.notes, state.arguments) : read_records(rows));
        if (std::ranges::any_of(state.notes, names_impossible_thread)) {
            give_up_block(nullptr, "names a thread beyond " + std::to_string(most_threads - 1));
            filled_ = 0;
        }
        if (state.in_columns && !state.columns.sound())
            give_up_block(nullptr, "has a call with an argument that it does not list");
        arguments_ = state.arguments.data();
        if (filled_ == 0)
            state.is_open = false;
        else if (std::isfinite(state.data->until_seconds))
            cut_rows(rows);
    }
    return true;
}

void RankCursor::take_notes(Event& event) {
    State& state = *state_;
    if (state.only != nullptr) {
        thread_ = state.only->thread;
        next_request_ = state.only->requests[taken_ - 1];
        return;
    }
    for (; state.next_note < state.notes.size() && state.notes[state.next_note].event == taken_ - 1;
         ++state.next_note) {
        const EventNote& note = state.notes[state.next_note];
        if (note.is_overlap) {
            event.overlap_seconds = static_cast<double>(note.value) * state.seconds_per_tick;
            state.met_overlap = true;
        } else
            thread_ = static_cast<std::uint32_t>(note.value);
    }
}

double RankCursor::overlap_seconds(std::size_t place) const {
    const std::vector<EventNote>& notes = state_->notes;
    auto note = std::ranges::lower_bound(notes, place, {}, &EventNote::event);
    for (; note != notes.end() && note->event == place; ++note)
        if (note->is_overlap) return static_cast<double>(note->value) * state_->seconds_per_tick;
    return 0;
}

bool RankCursor::load_next_block() {
    State& state = *state_;
    const TraceData& data = *state.data;
    shape_count_ = 0;
    while (state.next_block < data.first_block[state.rank + std::size_t{1}]) {
        state.block = data.blocks[state.next_block++];
        const auto rest = data.bytes.subspan(state.block.offset);
        const BlockHeader header = decode_block_header(rest).value();
        const auto stored = rest.subspan(header_bytes, header.stored_bytes);
        state.seconds_per_tick = header.seconds_per_tick;
        state.in_columns = header.codec == codec_columns;
        if (state.in_columns) {
            if (!state.columns.open(stored, header.events, header.seconds_per_tick, decompressor())) {
                give_up_block(nullptr, "does not expand to its events");
                continue;
            }
            const auto& payloads = state.columns.shapes();
            const auto define = [&](auto payload) {
                return define_shape(payload) && (!state.columns.is_open(shape_count_ - 1) ||
                                                 can_open(*state.shapes[shape_count_ - 1]));
            };
            if (!std::ranges::all_of(payloads, define)) {
                give_up_block(nullptr, "has a malformed shape");
                shape_count_ = 0;
                continue;
            }
        } else {
            state.raw.resize(header.raw_bytes + padding);
            if (header.codec == codec_none) {
                std::copy(stored.begin(), stored.end(), state.raw.begin());
            } else if (!decompressor().expand(stored, state.raw.data(), header.raw_bytes)) {
                give_up_block(nullptr, "does not expand to its size");
                continue;
            }
            std::memset(state.raw.data() + header.raw_bytes, 0, padding);
            state.position = state.raw.data();
            state.end = state.position + header.raw_bytes;
        }
        state.is_open = true;
        state.now = 0;
        next_request_ = header.next_request;
        block_next_request_ = header.next_request;
        thread_ = 0;
        block_base_seconds_ = static_cast<double>(header.base_ns) * 1e-9;
        ++blocks_;
        if (block_base_seconds_ >= data.until_seconds) {
            state.next_block = data.first_block[state.rank + std::size_t{1}];
            state.is_open = false;
            return false;
        }
        return true;
    }
    return false;
}

/// Ends the block before the first event that starts when the trace is cut.
void RankCursor::cut_rows(std::span<const EventRow> rows) {
    State& state = *state_;
    const double left = state.data->until_seconds - block_base_seconds_;
    for (std::uint32_t row = 0; row < filled_; ++row) {
        state.now += rows[row].gap_seconds;
        if (state.now >= left) {
            filled_ = row;
            state.is_open = false;
            return;
        }
        state.now += rows[row].duration_seconds;
    }
}

void RankCursor::give_up_block(const std::uint8_t* at, std::string what) {
    std::string place =
        "block " + std::to_string(state_->block.sequence) + " of rank " + std::to_string(state_->rank);
    if (at != nullptr) place += " at byte " + std::to_string(at - state_->raw.data());
    if (state_->data->refuse_damage) {
        throw DamagedError(state_->data->label + " is damaged: " + place + " " + what +
                           ", so what followed there is not known; record the program again, or take what "
                           "is readable with --allow-damaged");
    }
    state_->damage.push_back({static_cast<std::int32_t>(state_->rank), state_->block.offset,
                              place + " " + what + ": the rest of the block is left out"});
    state_->is_open = false;
}

bool RankCursor::define_shape(std::span<const std::uint8_t> payload) {
    const std::size_t number = shape_count_;
    if (number == state_->shapes.size()) {
        state_->shapes.push_back(state_->memory.new_object<Shape>());
        shapes_ = state_->shapes.data();
    }
    Shape& shape = *state_->shapes[number];
    if (!decode_shape(payload, shape) || shape.name >= state_->data->entries.size()) return false;
    shape.entry = shape.name;
    shape.name = state_->data->name_of_entry[shape.entry];
    if (is_collective(shape.call_class)) shape.collective = state_->data->collectives[shape.name];
    ++shape_count_;
    return true;
}

/// Fills the rows from a block of records, up to its end or to a record that cannot be used; how many.
std::size_t RankCursor::read_records(std::span<EventRow> rows) {
    State& state = *state_;
    const double seconds_per_tick = state.seconds_per_tick;
    const auto seconds = [seconds_per_tick](std::uint64_t ticks) {
        return static_cast<double>(static_cast<std::int64_t>(ticks)) * seconds_per_tick;
    };
    std::size_t count = 0;
    bool has_notes = false;
    // The rows before a problem are taken first; then it is met again.
    const auto problem = [&](std::string what) {
        if (count == 0) give_up_block(state.position, std::move(what));
        return count;
    };
    while (count < rows.size()) {
        const std::uint8_t* at = state.position;
        const std::uint64_t head = read_varint(at);
        const std::uint64_t number = (head >> 1) - head_event / 2;
        if (number < shape_count_) [[likely]] {
            EventRow& row = rows[count];
            row.gap_seconds = seconds(read_varint(at));
            row.cpu_seconds = (head & 1) != 0
                                  ? static_cast<double>(static_cast<std::int64_t>(read_varint(at))) * 1e-9
                                  : -1.0;
            row.duration_seconds = seconds(read_varint(at));
            row.shape = static_cast<std::uint32_t>(number);
            row.has_notes = std::exchange(has_notes, false);
            row.has_arguments = false;
            if (at > state.end) return problem("ends inside a record");
            ++count;
        } else if (head == head_end || state.position >= state.end) {
            state.is_open = count > 0;
            return count;
        } else if (at > state.end) {
            return problem("ends inside a record");
        } else if (head == head_shape) {
            const std::uint64_t size = read_varint(at);
            if (at > state.end || size > static_cast<std::uint64_t>(state.end - at) ||
                !define_shape({at, static_cast<std::size_t>(size)})) {
                return problem("has a malformed shape");
            }
            at += size;
        } else if (head == head_thread || head == head_overlap) {
            state.notes.push_back({static_cast<std::uint32_t>(count), head == head_overlap, read_varint(at)});
            has_notes = true;
        } else if (head < head_event) {
            return problem("has an unknown record (" + std::to_string(head) + ")");
        } else {
            return problem("uses a shape that it does not define");
        }
        state.position = at;
    }
    return count;
}

}  // namespace linkworth::tracefile
