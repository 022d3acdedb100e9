// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "scale/fold.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>

namespace linkworth::scale {

namespace {

constexpr std::size_t longest_body = 4096;
/// Longest body of which further iterations are added one by one.
constexpr std::size_t longest_back = 512;
/// Distances at which a repetition is looked for, from the nearest.
constexpr std::size_t most_candidates = 64;

class Folder {
  public:
    explicit Folder(const std::vector<std::int64_t>& symbols) : symbols_(symbols) {}

    Grammar fold() {
        for (; read_ < symbols_.size();) {
            push(symbols_[read_++]);
            while (goes_on_with_a_loop() || begins_a_loop()) {
            }
        }
        return {stack_, loops_};
    }

  private:
    void push(std::int64_t item) {
        places_[item].push_back(stack_.size());
        stack_.push_back(item);
    }

    void drop(std::size_t count) {
        for (; count > 0; --count) {
            places_[stack_.back()].pop_back();
            stack_.pop_back();
        }
    }

    [[nodiscard]] bool ends_with(const Body& body) const {
        return body.size() <= stack_.size() && std::equal(body.rbegin(), body.rend(), stack_.rbegin());
    }

    /// Returns whether the last loop of the body has another iteration, of which only the start has been
    /// read.
    [[nodiscard]] bool is_unfinished(const Body& body) const {
        std::size_t begun = 0;
        while (begun < body.size() && body[body.size() - 1 - begun] >= 0) ++begun;
        if (begun == 0 || begun == body.size()) return false;
        const Body& inner = loops_[loop_of(body[body.size() - 1 - begun])];
        if (inner.size() <= begun || inner.size() - begun > symbols_.size() - read_) return false;
        const auto rest = inner.begin() + static_cast<std::ptrdiff_t>(begun);
        return std::equal(inner.begin(), rest, body.end() - static_cast<std::ptrdiff_t>(begun)) &&
               std::equal(rest, inner.end(), symbols_.begin() + static_cast<std::ptrdiff_t>(read_));
    }

    /// Takes one more iteration of the loop before, or of the loop with which its body ends.
    bool goes_on_with_a_loop() {
        for (std::size_t back = 1; back < std::min(stack_.size(), longest_back); ++back) {
            std::int64_t item = stack_[stack_.size() - 1 - back];
            while (item < 0) {
                const Body& body = loops_[loop_of(item)];
                if (body.size() == back && ends_with(body) && !is_unfinished(body)) {
                    drop(back);
                    return true;
                }
                item = body.back();
            }
        }
        return false;
    }

    /// Makes a loop of two equal parts at the end.
    bool begins_a_loop() {
        const std::vector<std::size_t>& own = places_[stack_.back()];
        const std::size_t end = stack_.size();
        for (std::size_t back = 1; back <= most_candidates && back < own.size(); ++back) {
            const std::size_t length = end - 1 - own[own.size() - 1 - back];
            if (length > longest_body || 2 * length > end) return false;
            const auto middle = stack_.end() - static_cast<std::ptrdiff_t>(length);
            if (!std::equal(middle, stack_.end(), middle - static_cast<std::ptrdiff_t>(length))) continue;
            const Body body(middle, stack_.end());
            if (is_unfinished(body)) continue;
            const auto [known, is_new] = known_.try_emplace(body, static_cast<std::int64_t>(loops_.size()));
            if (is_new) loops_.push_back(body);
            drop(2 * length);
            push(-1 - known->second);
            return true;
        }
        return false;
    }

    const std::vector<std::int64_t>& symbols_;
    std::size_t read_ = 0;
    Body stack_;
    std::vector<Body> loops_;
    std::map<Body, std::int64_t> known_;
    /// By item: where it is on the stack.
    std::unordered_map<std::int64_t, std::vector<std::size_t>> places_;
};

}  // namespace

Grammar fold(const std::vector<std::int64_t>& symbols) { return Folder(symbols).fold(); }

}  // namespace linkworth::scale
