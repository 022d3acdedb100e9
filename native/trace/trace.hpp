// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Reading a merged trace, rank by rank, in bounded memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "calls/event.hpp"
#include "trace/event_row.hpp"

namespace linkworth::tracefile {

/// A file that is no trace, or of a newer version, or unreadable. The message is one sentence for the user.
class TraceError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A trace that is cut or damaged, with an unknown loss.
class DamagedError : public TraceError {
  public:
    using TraceError::TraceError;
};

/// A trace could not be written: no space, no permission.
class WriteError : public TraceError {
  public:
    using TraceError::TraceError;
};

/// Part of a file that a reader could not use: a block whose checksum is wrong, a cut end, an unknown record.
struct Damage {
    std::int32_t rank = -1;    ///< -1 if it is not known
    std::uint64_t offset = 0;  ///< in the file
    std::string what;
};

/// A place between two events of a thread at which a cursor for that thread stops.
struct Pause {
    std::uint64_t events = 0;  ///< of the thread, before it
    bool begins = false;       ///< the thread begins after it: the next event has no gap
};

class RankCursor;
struct TraceData;

class Trace {
  public:
    /// Reads the file and checks every block's checksum. Throws TraceError if it is no trace that can be
    /// read, and DamagedError if its header is cut or damaged. With `refuse_damage` cursors throw
    /// DamagedError for a block that cannot be decoded, and do not leave it out.
    static std::shared_ptr<const Trace> open(const std::string& path, bool refuse_damage = false);
    /// `label` names the bytes in messages, as the path does for a file.
    static std::shared_ptr<const Trace> from_bytes(std::vector<std::byte> bytes, std::string label);
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    std::uint32_t ranks() const;
    std::uint64_t events() const;
    std::uint64_t file_bytes() const;
    /// Bytes of all readable blocks before compression.
    std::uint64_t raw_bytes() const;
    std::string_view metadata_json() const;
    const std::vector<std::string>& names() const;
    /// The table of names: calls, and calls at one call site; see `at_site`.
    const std::vector<std::string>& entries() const;
    /// `Collective::none` for every name that is no collective.
    Collective collective_of(std::uint32_t name) const;
    const std::vector<Damage>& damage() const;
    /// Readable events by rank.
    std::vector<std::uint64_t> rank_events() const;
    /// Events by rank in blocks that are known to be damaged.
    const std::vector<std::uint64_t>& lost_events() const;
    /// The file lists its blocks, so that `lost_events` is everything that is lost.
    bool has_index() const;
    /// Returns the same file up to a time by which all ranks together made about so many events, or the whole
    /// file if it has no more. Ranks end in the middle of their work, as in a cut trace.
    std::shared_ptr<const Trace> beginning(std::uint64_t events) const;
    /// Returns a cursor before the rank's first event. It keeps the file open by itself. Decoded data is in
    /// `memory`, which must outlive it.
    RankCursor cursor(std::uint32_t rank,
                      std::pmr::memory_resource* memory = std::pmr::get_default_resource()) const;

  private:
    explicit Trace(std::shared_ptr<const TraceData> data);
    std::shared_ptr<const TraceData> data_;
};

/// Rows for `RankCursor::next_rows`: enough to be worth the turn, few enough to stay in the nearest cache.
inline constexpr std::size_t rows_at_once = 256;

/// Walks one rank's events in order. Holds one block at a time and decodes some events at once. Movable.
/// Either `next` or `next_rows` is called, not both in turn.
class RankCursor {
  public:
    RankCursor(RankCursor&&) noexcept;
    RankCursor& operator=(RankCursor&&) noexcept;
    ~RankCursor();

    /// False at the end of the rank's events. The event's shape is valid until the next one is taken.
    bool next(Event& event) {
        if (taken_ == filled_ && !refill(own_rows())) [[unlikely]]
            return false;
        const EventRow& row = rows_[taken_++];
        const Shape& shape = *shapes_[row.shape];
        if (row.has_arguments) set_arguments(row, arguments_[taken_ - 1]);
        event.shape = &shape;
        event.gap_seconds = row.gap_seconds;
        event.cpu_seconds = row.cpu_seconds;
        event.duration_seconds = row.duration_seconds;
        event.overlap_seconds = 0;
        if (row.has_notes) [[unlikely]]
            take_notes(event);
        event.thread = thread_;
        event.next_request = next_request_;
        next_request_ += makes_request(shape.call_class) ? 1 : 0;
        return true;
    }

    /// The row of the event that `next` has taken last.
    const EventRow& row() const { return rows_[taken_ - 1]; }

    /// Fills `rows` with the next events, all of one block, for a reader of very many that needs no threads.
    /// Returns those that it filled: none at the end of the rank's events.
    std::span<const EventRow> next_rows(std::span<EventRow> rows) {
        const bool some = refill(rows);
        taken_ = filled_;
        return rows.first(some ? filled_ : 0);
    }
    /// Leaves only the events of one thread, with the thread's own gaps and durations. Before the first
    /// `next`, which returns false at each pause, too. Pauses are in order, no two at one place.
    void only(std::uint32_t thread, std::vector<Pause> pauses);
    /// Goes on after the pause that `next` has stopped at.
    void pass_pause();
    /// Number of the block's shapes that are known so far: at least those of the events that were read.
    std::size_t shapes() const { return shape_count_; }
    const Shape& shape(std::uint32_t number) const { return *shapes_[number]; }
    /// The arguments of the rows that `next_rows` has filled, by their place: of those that have some.
    const Arguments* arguments() const { return arguments_; }
    /// The overlap of one of these rows, which has notes.
    double overlap_seconds(std::size_t place) const;
    /// The shape of one of these rows, with its arguments; valid until the next such call.
    const Shape& shape_of(std::span<const EventRow> rows, std::size_t place) const {
        if (rows[place].has_arguments) set_arguments(rows[place], arguments_[place]);
        return *shapes_[rows[place].shape];
    }
    /// Number of the next request at the start of the block that contains the latest event.
    std::uint64_t block_next_request() const { return block_next_request_; }
    /// Prefetches the rows of the next `events`, and the places of the shapes, while something else runs.
    void prefetch_rows(std::uint32_t events) const {
        const char* const first = reinterpret_cast<const char*>(rows_ + taken_);
        for (std::size_t at = 0; at < events * sizeof(EventRow); at += cache_line_bytes)
            prefetch_line(first + at);
        prefetch_line(shapes_);
        if (events > shapes_on_a_line && shape_count_ > shapes_on_a_line)
            prefetch_line(shapes_ + shapes_on_a_line);
    }
    /// Fetches their shapes, of those that are decoded.
    void prefetch_shapes(std::uint32_t events) const {
        const std::uint32_t end = std::min(filled_, taken_ + events);
        for (std::uint32_t row = taken_; row < end; ++row) prefetch_line(shapes_[rows_[row].shape]);
    }

    /// Time from the trace's origin to the start of the block that contains the latest event, in seconds.
    double block_base_seconds() const { return block_base_seconds_; }
    /// Blocks read so far. The numbers of shapes start again with each.
    std::uint64_t blocks() const { return blocks_; }
    /// A call that `next` has taken began inside another thread's call.
    bool met_overlap() const;
    /// Damage met so far while decoding this rank.
    const std::vector<Damage>& damage() const;

  private:
    static constexpr std::size_t shapes_on_a_line = cache_line_bytes / sizeof(const Shape*);

    struct State;
    struct ThreadRows;

    struct Release {
        void operator()(State* state) const;
    };

    RankCursor(std::shared_ptr<const TraceData> data, std::uint32_t rank, std::pmr::memory_resource* memory);
    std::span<EventRow> own_rows() const;
    bool refill(std::span<EventRow> rows);
    bool read_rows(std::span<EventRow> rows);
    bool show_thread_rows(ThreadRows& only);
    void keep_thread_rows(ThreadRows& only);
    void take_notes(Event& event);
    bool load_next_block();
    std::size_t read_records(std::span<EventRow> rows);
    void cut_rows(std::span<const EventRow> rows);
    bool define_shape(std::span<const std::uint8_t> payload);
    void give_up_block(const std::uint8_t* at, std::string what);
    void set_arguments(const EventRow& row, const Arguments& arguments) const {
        Shape& shape = *shapes_[row.shape];
        shape.peer = arguments.peer;
        shape.tag = arguments.tag;
        shape.bytes = arguments.bytes;
    }

    const EventRow* rows_ = nullptr;
    const Arguments* arguments_ = nullptr;  ///< by row
    std::uint32_t taken_ = 0;
    std::uint32_t filled_ = 0;
    std::uint64_t next_request_ = 0;
    Shape* const* shapes_ = nullptr;  ///< of the block, by number: the state has them
    std::uint32_t shape_count_ = 0;
    std::uint32_t thread_ = 0;
    std::uint64_t block_next_request_ = 0;
    double block_base_seconds_ = 0;
    std::uint64_t blocks_ = 0;
    std::unique_ptr<State, Release> state_;
    friend class Trace;
};

}  // namespace linkworth::tracefile
