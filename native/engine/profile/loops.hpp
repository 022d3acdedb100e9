// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Loops in a sequence of calls: runs of equal sequences are folded, from the inside out, while the calls
/// come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace linkworth::profile {

/// How long the iterations of a loop took.
struct IterationTimes {
    std::uint64_t count = 0;
    double sum = 0;
    double sum_of_squares = 0;
    double least = 0;
    double most = 0;

    void add(double seconds);
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
    bool is_flat = false;           ///< no loop in it
    std::vector<LoopElement> body;  ///< times of loops in it are those of all iterations
};

/// Folds `x x` into a loop of `x`, and `loop(x) x` into the loop, as the power-regular section descriptors of
/// Noeth, Ratn, Mueller, Schulz and de Supinski (ScalaTrace, J. Parallel and Distributed Computing 69, 2009).
/// Memory: `most_elements`, whatever the number of calls.
class LoopFolder {
  public:
    explicit LoopFolder(std::size_t most_elements);

    /// False where the calls do not repeat and the limit is reached; no more must be added then.
    bool add(std::uint32_t call_symbol, std::uint32_t name, double start, double end, std::uint64_t calls) {
        const std::uint32_t symbol = 2 * call_symbol;  // loops have the odd ones
        // Most calls are in loops: those that do as the iteration before are only counted.
        if (symbol == next_symbol_) [[likely]] {
            expected_[expected_count_] = {name, start, end, calls};
            if (++expected_count_ < body_size_) {
                next_symbol_ = body_[expected_count_].symbol;
            } else {
                end_iteration();
            }
            return true;
        }
        return add_unexpected(symbol, {name, start, end, calls});
    }
    /// Ends the sequence.
    std::vector<LoopElement> take() &&;

  private:
    struct Position {
        std::uint64_t hash;        ///< of all symbols up to this one
        std::int64_t same_before;  ///< previous position of the same symbol
        std::int64_t loop_before;  ///< latest loop before this position
        std::size_t body_size;     ///< 0 where it is a call
    };

    struct Expected {
        std::uint32_t name;
        double start;
        double end;
        std::uint64_t calls;
    };
    static constexpr std::uint32_t no_symbol = UINT32_MAX;  // odd, and more loops than memory holds

    bool add_unexpected(std::uint32_t symbol, const Expected& call);
    void expect_iteration();
    void end_iteration();
    void flush_expected();
    void fold(std::uint32_t symbol, const Expected& call);
    void push(LoopElement element);
    LoopElement pop();
    bool extend_loop();
    bool make_loop();
    std::uint64_t hash_of(std::size_t from, std::size_t to) const;
    std::uint32_t loop_symbol(std::uint64_t body_hash);

    std::size_t most_elements_;
    std::vector<LoopElement> elements_;
    std::uint32_t next_symbol_ = no_symbol;  ///< with which the iteration goes on that is expected
    std::size_t expected_count_ = 0;  ///< calls so far that begin one more iteration of the loop at the end
    std::vector<Expected> expected_;  ///< these calls; with room for all
    LoopElement* body_ = nullptr;     ///< of that loop
    std::size_t body_size_ = 0;
    std::vector<Position> positions_;
    std::vector<std::int64_t> latest_;   ///< by symbol
    std::vector<std::uint64_t> powers_;  ///< of the base of the hash
    std::unordered_map<std::uint64_t, std::uint32_t> loop_symbols_;
};

}  // namespace linkworth::profile
