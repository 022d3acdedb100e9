// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The blocks of one rank of a trace that is being written event by event.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "calls/event.hpp"
#include "trace/container.hpp"
#include "trace/shape_codec.hpp"
#include "trace/varint.hpp"

namespace linkworth::tracefile {

/// Takes full blocks, from several threads if the writer of the trace allows it.
class BlockSink {
  public:
    virtual void append(const BlockHeader& header, std::span<const std::uint8_t> raw) = 0;

  protected:
    ~BlockSink() = default;
};

/// Writes one rank's events; keeps one block at a time. Ticks are nanoseconds.
class RankWriter {
  public:
    RankWriter(BlockSink& sink, std::uint32_t rank) : sink_(&sink), rank_(rank) {}

    /// Returns the number of a shape in the open block, and writes the shape there at its first use. The
    /// number is valid until the next event has changed `block()`. Throws TraceError for a field that the
    /// format cannot express.
    std::uint32_t shape(const Shape& shape);
    /// Number of the open block, from 0.
    std::uint32_t block() const { return sequence_; }

    /// Appends an event of that shape. `cpu_ns` negative: not known. `makes_request`: its class numbers a
    /// request.
    void event(std::uint32_t shape_number, bool makes_request, std::uint64_t gap_ns, std::int64_t cpu_ns,
               std::uint64_t duration_ns) {
        if (raw_.size() - used_ < most_event_bytes) grow(most_event_bytes);
        std::uint8_t* at = raw_.data() + used_;
        at = put_varint(at, head_event + 2 * std::uint64_t{shape_number} + (cpu_ns >= 0 ? 1 : 0));
        at = put_varint(at, gap_ns);
        if (cpu_ns >= 0) at = put_varint(at, static_cast<std::uint64_t>(cpu_ns));
        at = put_varint(at, duration_ns);
        used_ = static_cast<std::size_t>(at - raw_.data());
        clock_ns_ += gap_ns + duration_ns;
        next_request_ += makes_request ? 1 : 0;
        ++events_;
        if (used_ >= block_bytes) flush();
    }

    /// Sets the thread of the next event (0 by default), and how long the call had been running when the
    /// rank's previous call ended.
    void next_by(std::uint32_t thread, std::uint64_t overlap_ns) {
        if (thread == thread_ && overlap_ns == 0) return;
        grow(most_event_bytes);
        std::uint8_t* at = raw_.data() + used_;
        if (thread != thread_) at = put_varint(put_varint(at, head_thread), thread);
        if (overlap_ns > 0) at = put_varint(put_varint(at, head_overlap), overlap_ns);
        used_ = static_cast<std::size_t>(at - raw_.data());
        thread_ = thread;
    }

    /// When the rank began, from the trace's origin; before its first event.
    void start_at(std::uint64_t ns) { base_ns_ = clock_ns_ = ns; }

    /// Number of the next request to be made.
    std::uint64_t next_request() const { return next_request_; }
    /// Number of events of the whole rank so far.
    std::uint64_t events() const { return flushed_events_ + events_; }
    /// Gives the open block to the sink. Call it at the rank's end.
    void flush();

  private:
    static constexpr std::size_t block_bytes = 65536;
    static constexpr std::size_t most_event_bytes = 40;  // four varints of 64 bits

    void grow(std::size_t bytes);

    BlockSink* sink_;
    std::uint32_t rank_;
    std::vector<std::uint8_t> raw_;  ///< `used_` bytes of it are filled
    std::size_t used_ = 0;
    ShapeNumbers shapes_;  ///< of the open block
    std::vector<std::uint8_t> payload_;
    Shape checked_;
    std::uint32_t events_ = 0;
    std::uint64_t flushed_events_ = 0;
    std::uint32_t sequence_ = 0;
    std::uint32_t thread_ = 0;  ///< of the latest event of the open block
    std::uint64_t base_ns_ = 0;
    std::uint64_t clock_ns_ = 0;
    std::uint64_t first_request_ = 0;
    std::uint64_t next_request_ = 0;
};

}  // namespace linkworth::tracefile
