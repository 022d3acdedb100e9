// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/sensible.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace linkworth::replay {
namespace {

/// 1 / `least_rate` times any message is finite.
constexpr double least_rate = 1e-12;

[[noreturn]] void refuse(const std::string& name, double value, const char* what_to_do) {
    std::ostringstream sentence;
    sentence << name << " is " << value << ", and no replay is possible with that; give " << what_to_do;
    throw ReplayError(sentence.str());
}

void check_number(const std::string& name, double value, Allowed allowed) {
    const bool finite = std::isfinite(value);
    switch (allowed) {
        case Allowed::any: return;
        case Allowed::amount:
            if (!finite || value < 0) refuse(name, value, "a finite number of 0 or more");
            return;
        case Allowed::positive:
            if (!finite || value <= 0) refuse(name, value, "a finite number above 0");
            return;
        case Allowed::limit:
            if (!(value >= 0)) refuse(name, value, "a number of 0 or more");
            return;
        case Allowed::rate:
            if (!(value >= least_rate)) refuse(name, value, "bytes per second of at least 1e-12");
            return;
        case Allowed::share:
            if (!(value >= 0 && value <= 1)) refuse(name, value, "a share from 0 to 1");
            return;
        case Allowed::count:
            if (!(value >= 1)) refuse(name, value, "1 or more");
            return;
    }
}

template <class Value>
void check(const std::string& /*name*/, const Value& /*value*/, Allowed /*allowed*/) {}

void check(const std::string& name, double value, Allowed allowed) { check_number(name, value, allowed); }

void check(const std::string& name, const std::optional<double>& value, Allowed allowed) {
    if (value) check_number(name, *value, allowed);
}

void check(const std::string& name, const std::map<std::int32_t, double>& values, Allowed allowed) {
    for (const auto& [level, value] : values)
        check_number(name + " of level " + std::to_string(level), value, allowed);
}

void check(const std::string& name, const OverheadCurve& curve, Allowed allowed) {
    for (const auto& [size, seconds] : curve.points()) {
        check_number("a size of " + name, size, Allowed::amount);
        check_number(name, seconds, allowed);
    }
}

template <Mirror Struct>
void check(const std::string& name, const Struct& value, Allowed /*allowed*/);

void check(const std::string& name, const std::vector<SwitchLevel>& levels, Allowed allowed) {
    for (const SwitchLevel& level : levels) check(name, level, allowed);
}

template <Mirror Struct>
void check(const std::string& name, const Struct& value, Allowed /*allowed*/) {
    Struct::fields([&](const char* field, auto member, Allowed allowed) {
        check(name.empty() ? field : name + "." + field, value.*member, allowed);
    });
}

}  // namespace

void check_sensible(const ReplayRequest& request) { check("", request, Allowed::any); }

void refuse_infinite_time() {
    throw ReplayError(
        "the replay gives no finite time: a rate, a factor or a time of the fabric or of the settings is too "
        "extreme for this trace");
}

void check_finite(const ReplayResult& result) {
    ReplayResult::fields([&]<class Member>(const char* /*name*/, Member ReplayResult::* member, Allowed) {
        if constexpr (std::is_same_v<Member, double>)
            if (!std::isfinite(result.*member)) refuse_infinite_time();
    });
}

}  // namespace linkworth::replay
