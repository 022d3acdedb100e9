// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "scale/parse.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace linkworth::scale {

namespace {

/// Bodies that are tried for each symbol of a sequence at most. Sequences of one program take one or two.
constexpr std::size_t most_tries = 8;

struct TooManyTries {};

/// A loop of a body that was read: its place there, and where each iteration began.
struct Entered {
    std::size_t place;
    std::vector<std::size_t> starts;
};

class Parser {
  public:
    Parser(const Grammar& grammar, const std::vector<bool>& optional,
           const std::vector<std::int64_t>& symbols)
        : grammar_(grammar), optional_(optional), symbols_(symbols), firsts_(grammar.loops.size()) {}

    std::variant<Items, std::size_t> parse() {
        const std::size_t last = symbols_.empty() ? 0 : symbols_.size() - 1;
        std::size_t at = 0;
        std::optional<Items> whole;
        try {
            whole = body(grammar_.top, at);
        } catch (const TooManyTries&) {
        }
        if (!whole) return std::min(furthest_, last);
        if (at < symbols_.size()) return std::max(at, furthest_ < symbols_.size() ? furthest_ : at);
        return *std::move(whole);
    }

  private:
    /// Reads a body from `at` on, and moves that behind it.
    std::optional<Items> body(const Body& parts, std::size_t& at) {
        if (++tries_ > most_tries * (symbols_.size() + 1)) throw TooManyTries();
        Items items;
        std::vector<Entered> entered;
        while (items.size() < parts.size()) {
            const std::int64_t part = parts[items.size()];
            if (part >= 0) {
                furthest_ = std::max(furthest_, at);
                if (at < symbols_.size() && symbols_[at] == part) {
                    items.push_back({false, at++, {}});
                    continue;
                }
            } else {
                Entered loop{items.size(), {}};
                std::vector<Items> iterations = run(part, at, loop.starts);
                if (!iterations.empty() || optional_[loop_of(part)]) {
                    items.push_back({true, 0, std::move(iterations)});
                    entered.push_back(std::move(loop));
                    continue;
                }
                furthest_ = std::max(furthest_, at);
            }
            if (!give_back(parts, items, entered, at)) return std::nullopt;
        }
        return items;
    }

    /// Takes away the latest iteration, which may belong to what follows its loop, and moves `at` to where it
    /// began.
    bool give_back(const Body& parts, Items& items, std::vector<Entered>& entered, std::size_t& at) {
        while (!entered.empty()) {
            auto& [place, starts] = entered.back();
            if (!starts.empty()) {
                items.resize(place + 1);
                items.back().iterations.pop_back();
                at = starts.back();
                starts.pop_back();
                if (!items.back().iterations.empty() || optional_[loop_of(parts[place])]) return true;
            }
            items.resize(place);
            entered.pop_back();
        }
        return false;
    }

    std::vector<Items> run(std::int64_t loop, std::size_t& at, std::vector<std::size_t>& starts) {
        std::vector<Items> iterations;
        const std::set<std::int64_t>& possible = first(loop);
        while (at < symbols_.size() && possible.contains(symbols_[at])) {
            std::size_t end = at;
            std::optional<Items> iteration = body(grammar_.loops[loop_of(loop)], end);
            if (!iteration || end == at) break;
            iterations.push_back(*std::move(iteration));
            starts.push_back(at);
            at = end;
        }
        return iterations;
    }

    /// Returns the symbols with which a loop may begin.
    const std::set<std::int64_t>& first(std::int64_t loop) {
        std::set<std::int64_t>& found = firsts_[loop_of(loop)];
        if (found.empty()) {
            for (const std::int64_t part : grammar_.loops[loop_of(loop)]) {
                if (part >= 0) {
                    found.insert(part);
                    break;
                }
                found.insert(first(part).begin(), first(part).end());
            }
        }
        return found;
    }

    const Grammar& grammar_;
    const std::vector<bool>& optional_;
    const std::vector<std::int64_t>& symbols_;
    std::vector<std::set<std::int64_t>> firsts_;
    std::size_t furthest_ = 0;
    std::size_t tries_ = 0;
};

}  // namespace

std::variant<Items, std::size_t> parse(const Grammar& grammar, const std::vector<bool>& optional,
                                       const std::vector<std::int64_t>& symbols) {
    return Parser(grammar, optional, symbols).parse();
}

}  // namespace linkworth::scale
