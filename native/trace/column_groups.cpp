// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/column_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "trace/time_symbols.hpp"

namespace linkworth::tracefile {
namespace {

/// Fewer values do not pay for a look at them.
constexpr std::size_t fewest_values = 64;
constexpr std::size_t most_first_groups = 96;
/// Columns this far from each other in the order of their means are compared.
constexpr std::size_t neighbours = 3;
/// Cost of a column besides its coded symbols, in bytes: its sizes, its frame, and the time in which some
/// hundred symbols are read. Each symbol that occurs also has a length in the code.
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
    std::size_t first_symbol = symbol_count;  ///< that occurs
    std::size_t end_symbol = 0;               ///< after the last one that occurs
    double bytes = 0;
    std::vector<std::uint32_t> series;
    std::array<double, neighbours> saved{};  ///< by joining it with the group that comes so far behind it
};

using Groups = std::vector<std::unique_ptr<Group>>;

/// Returns the bits by which `count` equal symbols shorten a code.
double weighted_log2(std::uint32_t count) {
    static const std::vector<double> few = [] {
        constexpr std::size_t size = 4096;
        std::vector<double> values(size, 0);
        for (std::size_t value = 1; value < size; ++value)
            values[value] = static_cast<double>(value) * std::log2(static_cast<double>(value));
        return values;
    }();
    const double value = count;
    return count < few.size() ? few[count] : value * std::log2(value);
}

double coded_bytes(const Group& group, const Group& with) {
    constexpr double bits_a_byte = 8;
    std::uint64_t count = 0;
    double bits = 0;
    double used = 0;
    const std::size_t end = std::max(group.end_symbol, with.end_symbol);
    for (std::size_t symbol = std::min(group.first_symbol, with.first_symbol); symbol < end; ++symbol) {
        const std::uint32_t both = group.counts[symbol] + with.counts[symbol];
        count += both;
        bits -= weighted_log2(both);
        used += both > 0 ? 1 : 0;
    }
    const auto values = static_cast<double>(count);
    bits += values > 0 ? values * std::log2(values) : 0;
    return bits / bits_a_byte + column_bytes + bytes_a_symbol * used;
}

/// Calls `take` with the number of the series (2 x shape + (1 for durations)) and the symbol of each value.
template <class Take>
void each_value(const EventRecords& records, Take take) {
    for (std::size_t event = 0; event < records.heads.size(); ++event) {
        const std::uint32_t series = records.heads[event] & ~1U;
        take(series, records.gap_symbols[event]);
        take(series + 1, records.duration_symbols[event]);
    }
}

/// Small groups in the order of their means.
Groups first_groups(const EventRecords& records) {
    std::vector<Series> all(2 * records.shapes.size());
    each_value(records, [&all](std::uint32_t series, std::uint8_t symbol) {
        ++all[series].values;
        all[series].symbols += symbol;
    });
    std::vector<std::uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&all](std::uint32_t series) { return all[series].mean(); });
    const std::uint64_t enough = std::max(fewest_values, 2 * records.heads.size() / most_first_groups);
    Groups groups;
    groups.push_back(std::make_unique<Group>());
    std::uint64_t values = 0;
    std::vector<std::uint32_t> group_of(all.size());
    for (const std::uint32_t series : order) {
        if (values >= enough) {
            groups.push_back(std::make_unique<Group>());
            values = 0;
        }
        groups.back()->series.push_back(series);
        group_of[series] = static_cast<std::uint32_t>(groups.size() - 1);
        values += all[series].values;
    }
    each_value(records, [&](std::uint32_t series, std::uint8_t symbol) {
        ++groups[group_of[series]]->counts[symbol];
    });
    for (const auto& group : groups) {
        const auto occurs = [](std::uint32_t count) { return count > 0; };
        const auto first = std::ranges::find_if(group->counts, occurs);
        group->first_symbol = static_cast<std::size_t>(first - group->counts.begin());
        group->end_symbol = symbol_count;
        while (group->end_symbol > group->first_symbol && group->counts[group->end_symbol - 1] == 0)
            --group->end_symbol;
    }
    return groups;
}

/// Compares a group again with those behind it.
void compare(Groups& groups, std::size_t at) {
    Group& group = *groups[at];
    for (std::size_t step = 1; step <= neighbours && at + step < groups.size(); ++step) {
        const Group& other = *groups[at + step];
        group.saved[step - 1] = group.bytes + other.bytes - coded_bytes(group, other);
    }
}

void join_groups(Groups& groups) {
    const Group none;
    for (const auto& group : groups) group->bytes = coded_bytes(*group, none);
    for (std::size_t at = 0; at < groups.size(); ++at) compare(groups, at);
    while (groups.size() > 1) {
        double most = 0;
        std::size_t to = 0;
        std::size_t from = 0;
        for (std::size_t at = 0; at < groups.size(); ++at) {
            for (std::size_t step = 1; step <= neighbours && at + step < groups.size(); ++step) {
                if (groups[at]->saved[step - 1] > most) {
                    most = groups[at]->saved[step - 1];
                    to = at;
                    from = at + step;
                }
            }
        }
        if (most <= 0) return;
        Group& group = *groups[to];
        const Group& other = *groups[from];
        std::ranges::transform(group.counts, other.counts, group.counts.begin(), std::plus());
        group.series.insert(group.series.end(), other.series.begin(), other.series.end());
        group.first_symbol = std::min(group.first_symbol, other.first_symbol);
        group.end_symbol = std::max(group.end_symbol, other.end_symbol);
        group.bytes = coded_bytes(group, none);
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(from));
        for (std::size_t at = to - std::min(to, neighbours); at <= from && at < groups.size(); ++at)
            compare(groups, at);
    }
}

}  // namespace

ColumnGroups group_columns(const EventRecords& records) {
    Groups groups = first_groups(records);
    join_groups(groups);
    ColumnGroups found;
    found.gap_of_shape.resize(records.shapes.size());
    found.duration_of_shape.resize(records.shapes.size());
    found.count = groups.size();
    for (std::size_t group = 0; group < groups.size(); ++group) {
        for (const std::uint32_t series : groups[group]->series) {
            auto& of_shape = series % 2 == 0 ? found.gap_of_shape : found.duration_of_shape;
            of_shape[series / 2] = static_cast<std::uint32_t>(group);
        }
    }
    return found;
}

}  // namespace linkworth::tracefile
