// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "tracefile/column_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "tracefile/time_symbols.hpp"

namespace linkworth::tracefile {
namespace {

/// Fewer values do not pay for a look at them.
constexpr std::size_t fewest_values = 64;
constexpr std::size_t most_first_groups = 96;
/// Columns this far from each other in the order of their means are compared.
constexpr std::size_t neighbours = 3;
/// What a column costs beside its coded symbols, in bytes: its sizes and its frame, and the time in which
/// some hundred symbols are read; each symbol that occurs has a length in the code.
constexpr double column_bytes = 30;
constexpr double bytes_a_symbol = 0.45;

struct Series {
    std::uint64_t values = 0;
    std::uint64_t symbols = 0;  ///< their sum

    double mean() const {
        return static_cast<double>(symbols) / static_cast<double>(std::max<std::uint64_t>(values, 1));
    }
};

struct Group {
    std::array<std::uint32_t, symbol_count> counts{};
    double bytes = 0;
    std::vector<std::uint32_t> series;
    std::array<double, neighbours> saved{};  ///< by joining it with the group that comes so far behind it
};

double coded_bytes(const Group& group, const Group* with) {
    constexpr double bits_a_byte = 8;
    double values = 0;
    double bits = 0;
    double used = 0;
    for (std::size_t symbol = 0; symbol < symbol_count; ++symbol) {
        const std::uint32_t both = group.counts[symbol] + (with != nullptr ? with->counts[symbol] : 0);
        if (both > 0) {
            const double count = both;
            values += count;
            bits -= count * std::log2(count);
            used += 1;
        }
    }
    bits += values > 0 ? values * std::log2(values) : 0;
    return bits / bits_a_byte + column_bytes + bytes_a_symbol * used;
}

/// Calls `take` with the number of the series (2 x shape + (1 for durations)) and the symbol of each value.
template <class Take>
void each_value(const EventRecords& records, Take take) {
    for (std::size_t event = 0; event < records.heads.size(); ++event) {
        const std::uint32_t series = records.heads[event] & ~1U;
        take(series, symbol_of(records.gaps[event]));
        take(series + 1, symbol_of(records.durations[event]));
    }
}

/// Small groups in the order of their means.
std::vector<Group> first_groups(const EventRecords& records) {
    std::vector<Series> all(2 * records.shapes.size());
    each_value(records, [&all](std::uint32_t series, std::uint8_t symbol) {
        ++all[series].values;
        all[series].symbols += symbol;
    });
    std::vector<std::uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&all](std::uint32_t series) { return all[series].mean(); });
    const std::uint64_t enough = std::max(fewest_values, 2 * records.heads.size() / most_first_groups);
    std::vector<Group> groups(1);
    std::uint64_t values = 0;
    std::vector<std::uint32_t> group_of(all.size());
    for (const std::uint32_t series : order) {
        if (values >= enough) {
            groups.emplace_back();
            values = 0;
        }
        groups.back().series.push_back(series);
        group_of[series] = static_cast<std::uint32_t>(groups.size() - 1);
        values += all[series].values;
    }
    each_value(records,
               [&](std::uint32_t series, std::uint8_t symbol) { ++groups[group_of[series]].counts[symbol]; });
    return groups;
}

/// Compares a group anew with those behind it.
void compare(std::vector<Group>& groups, std::size_t at) {
    for (std::size_t step = 1; step <= neighbours && at + step < groups.size(); ++step) {
        const Group& other = groups[at + step];
        groups[at].saved[step - 1] = groups[at].bytes + other.bytes - coded_bytes(groups[at], &other);
    }
}

void join_groups(std::vector<Group>& groups) {
    for (Group& group : groups) {
        group.bytes = coded_bytes(group, nullptr);
    }
    for (std::size_t at = 0; at < groups.size(); ++at) {
        compare(groups, at);
    }
    while (groups.size() > 1) {
        double most = 0;
        std::size_t to = 0;
        std::size_t from = 0;
        for (std::size_t at = 0; at < groups.size(); ++at) {
            for (std::size_t step = 1; step <= neighbours && at + step < groups.size(); ++step) {
                if (groups[at].saved[step - 1] > most) {
                    most = groups[at].saved[step - 1];
                    to = at;
                    from = at + step;
                }
            }
        }
        if (most <= 0) {
            return;
        }
        Group& group = groups[to];
        const Group& other = groups[from];
        std::ranges::transform(group.counts, other.counts, group.counts.begin(), std::plus());
        group.series.insert(group.series.end(), other.series.begin(), other.series.end());
        group.bytes = coded_bytes(group, nullptr);
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(from));
        for (std::size_t at = to - std::min(to, neighbours); at <= from && at < groups.size(); ++at) {
            compare(groups, at);
        }
    }
}

}  // namespace

ColumnGroups group_columns(const EventRecords& records) {
    std::vector<Group> groups = first_groups(records);
    join_groups(groups);
    ColumnGroups found;
    found.gap_of_shape.resize(records.shapes.size());
    found.duration_of_shape.resize(records.shapes.size());
    found.count = groups.size();
    for (std::size_t group = 0; group < groups.size(); ++group) {
        for (const std::uint32_t series : groups[group].series) {
            auto& of_shape = series % 2 == 0 ? found.gap_of_shape : found.duration_of_shape;
            of_shape[series / 2] = static_cast<std::uint32_t>(group);
        }
    }
    return found;
}

}  // namespace linkworth::tracefile
