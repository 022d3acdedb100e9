// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Reading a merged trace, rank by rank, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tracefile/event.hpp"

namespace linkworth::tracefile {

/// A file that is no trace, or of a newer version, or unreadable. The message is one sentence for the user.
class TraceError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// What a reader could not use: a block whose checksum is wrong, a cut end, an unknown record.
struct Damage {
    std::int32_t rank = -1;    ///< -1 where it is not known
    std::uint64_t offset = 0;  ///< in the file
    std::string what;
};

class RankCursor;

class Trace {
  public:
    static std::shared_ptr<const Trace> open(const std::string& path);
    static std::shared_ptr<const Trace> from_bytes(std::vector<std::byte> bytes, std::string label);
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    std::uint32_t ranks() const;
    std::uint64_t events() const;
    std::uint64_t file_bytes() const;
    std::string_view metadata_json() const;
    const std::vector<std::string>& names() const;
    /// `Collective::none` for every name that is no collective.
    Collective collective_of(std::uint32_t name) const;
    const std::vector<Damage>& damage() const;
    RankCursor cursor(std::uint32_t rank) const;

    struct Data;

  private:
    explicit Trace(std::unique_ptr<Data> data);
    std::unique_ptr<Data> data_;
    friend class RankCursor;
};

/// Walks one rank's events in order. Holds one decoded block at a time. Movable.
class RankCursor {
  public:
    RankCursor(RankCursor&&) noexcept;
    RankCursor& operator=(RankCursor&&) noexcept;
    ~RankCursor();

    /// False at the end of the rank's events.
    bool next(Event& event);
    /// Damage met so far while decoding this rank.
    const std::vector<Damage>& damage() const;

    struct State;

  private:
    explicit RankCursor(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
    friend class Trace;
};

}  // namespace linkworth::tracefile
