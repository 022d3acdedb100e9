// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/iterations.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace linkworth::replay {
namespace {

template <class Value>
void grow(Value& /*value*/, const Value& /*few*/, double /*times*/) {}

void grow(double& value, const double& few, double times) { value += times * (value - few); }

void grow(std::uint64_t& value, const std::uint64_t& few, double times) {
    const double more = times * static_cast<double>(static_cast<std::int64_t>(value - few));
    value += static_cast<std::uint64_t>(std::llround(more));
}

void grow(std::vector<double>& values, const std::vector<double>& few, double times) {
    for (std::size_t i = 0; i < values.size(); ++i) grow(values[i], few[i], times);
}

template <class Key, class Value>
void grow(std::map<Key, Value>& values, const std::map<Key, Value>& few, double times) {
    for (auto& [key, value] : values) {
        const auto found = few.find(key);
        grow(value, found == few.end() ? Value{} : found->second, times);
    }
}

}  // namespace

ReplayResult longer(const ReplayResult& few, const ReplayResult& more, double times) {
    ReplayResult result = more;
    ReplayResult::fields([&](const char* /*name*/, auto member, Allowed /*allowed*/) {
        grow(result.*member, few.*member, times);
    });
    return result;
}

}  // namespace linkworth::replay
