// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Loops in a sequence of calls: runs of equal sequences are folded, from the inside out, while the calls
/// come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace linkworth::profile {

/// Durations of a loop's iterations.
struct IterationTimes {
    std::uint64_t count = 0;
    double sum = 0;
    double sum_of_squares = 0;
    double least = 0;
    double most = 0;

    void add(double of_one) {
        least = count == 0 || of_one < least ? of_one : least;
        most = count == 0 || most < of_one ? of_one : most;
        ++count;
        sum += of_one;
        sum_of_squares += of_one * of_one;
    }
    void add(const IterationTimes& other);
};

struct LoopNode;

/// A call, or a loop of calls and loops.
struct LoopElement {
    std::uint32_t symbol =
        0;  ///< equal for equal calls, and for loops with equal bodies however often they ran
    std::uint32_t name = 0;  ///< of a call
    double start = 0;        ///< end of the call before, in seconds
    double end = 0;
    std::uint64_t calls = 0;
    std::unique_ptr<LoopNode> loop;  ///< null for a call
};

struct LoopNode {
    IterationTimes times;
    std::vector<std::uint32_t> flat_symbols;  ///< of the body, if no loop is in it; else empty
    /// Loops in it have the times and calls of all iterations, calls have those of the first one.
    std::vector<LoopElement> body;
};

/// Position up to which a sequence of calls was read.
struct Moment {
    double seconds = 0;       ///< end of the latest call
    std::uint64_t calls = 0;  ///< read so far
};

/// Folds `x x` into a loop of `x`, and `loop(x) x` into the loop, as the power-regular section descriptors of
/// Noeth, Ratn, Mueller, Schulz and de Supinski (ScalaTrace, J. Parallel and Distributed Computing 69, 2009).
/// Memory: `most_elements`, whatever the number of calls.
class LoopFolder {
  public:
    explicit LoopFolder(std::size_t most_elements);

    /// Calls with one symbol have one name. Returns false if the calls do not repeat and the limit is
    /// reached; do not add more then.
    bool add(std::uint32_t call_symbol, std::uint32_t name, Moment end) {
        const std::uint32_t symbol = 2 * call_symbol;  // loops have the odd ones
        // Most calls are in loops: those that do as the iteration before are only counted.
        if (symbol == next_symbol_) [[likely]] {
            expected_[expected_count_] = end;
            if (++expected_count_ == body_size_) end_iteration(end);
            next_symbol_ = body_symbols_[expected_count_];
            return true;
        }
        return add_unexpected(symbol, name, end);
    }
    /// Ends the sequence.
    std::vector<LoopElement> take() &&;

  private:
    struct Position {
        std::uint64_t hash = 0;  ///< of all symbols up to this one
        std::uint32_t symbol = 0;
        std::uint32_t loops_before = 0;
        std::uint32_t occurrence = 0;   ///< how many positions before have the same symbol
        std::int32_t same_before = -1;  ///< the latest of them
        std::uint32_t pair = 0;         ///< in `pairs_`: the symbol before and this one
        std::int32_t pair_before = -1;  ///< the latest position before with the same pair
        // For loops only:
        std::int32_t due_before = -1;  ///< the loop before it whose next iteration would end where its would
        std::uint32_t body_size = 0;
        std::uint64_t body_hash = 0;
    };
    struct Pair {
        std::uint64_t symbols = UINT64_MAX;
        std::int32_t latest = -1;
    };

    static constexpr std::uint32_t no_symbol = UINT32_MAX;  // odd, and more loops than fit in memory

    bool add_unexpected(std::uint32_t symbol, std::uint32_t name, Moment end);
    void expect_iteration();
    void end_iteration(Moment end) {
        LoopElement& loop = elements_.back();
        loop.loop->times.add(end.seconds - loop.end);
        loop.end = end.seconds;
        loop.calls += end.calls - folded_.calls;
        folded_ = end;
        expected_count_ = 0;
    }
    void flush_expected();
    void fold(std::uint32_t symbol, std::uint32_t name, Moment end);
    Position& push_position(std::uint32_t symbol);
    void drop_positions(std::size_t from);
    std::uint32_t pair_of(std::uint32_t first, std::uint32_t second);
    void grow_pairs();
    bool extend_loop();
    bool make_loop();
    bool repeats(std::size_t length) const;
    void fold_last(std::size_t length);
    std::unique_ptr<LoopNode> new_node();
    void recycle(std::span<LoopElement> elements);
    std::uint64_t hash_of(std::size_t from, std::size_t to) const;
    std::uint32_t loop_symbol(std::uint64_t body_hash);

    std::size_t most_elements_;
    std::vector<LoopElement> elements_;
    Moment folded_;                          ///< end of these
    std::uint32_t next_symbol_ = no_symbol;  ///< with which the iteration goes on that is expected
    std::size_t expected_count_ = 0;  ///< calls so far that begin one more iteration of the loop at the end
    std::vector<Moment> expected_;    ///< ends of these calls; with room for all
    const std::uint32_t* body_symbols_ = nullptr;  ///< of that loop
    std::size_t body_size_ = 0;
    std::vector<Position> positions_;
    std::vector<std::int32_t> due_;  ///< by position: the latest loop whose next iteration would end there
    std::vector<Pair> pairs_;        ///< at their hash or behind it; the size is a power of two
    std::size_t pair_count_ = 0;
    std::vector<std::unique_ptr<LoopNode>> spare_;
    std::vector<std::int32_t> latest_;   ///< by symbol
    std::vector<std::uint64_t> powers_;  ///< of the base of the hash
    std::unordered_map<std::uint64_t, std::uint32_t> loop_symbols_;
};

}  // namespace linkworth::profile
