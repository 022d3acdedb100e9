// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Mirrors of Python structs: reads them by attribute, and lists the names of their fields.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/collective_rules.hpp"
#include "bindings/text.hpp"
#include "replay/fields.hpp"
#include "replay/replay.hpp"

namespace linkworth::bindings {

template <class T>
concept Named = std::is_enum_v<T> && requires(T value) { words_of(value); };

/// The value that a word means. Throws ReplayError for a word that the engine does not know.
template <Named T>
T value_of(const std::string& word) {
    const auto words = words_of(T{});
    const auto found = std::find(words.begin(), words.end(), word);
    if (word.empty() || found == words.end())
        throw replay::ReplayError("'" + word + "' is not known to the engine");
    return static_cast<T>(found - words.begin());
}

template <class T>
struct ItemOf : std::false_type {};
template <class T>
struct ItemOf<std::vector<T>> : std::bool_constant<replay::Mirror<T>> {
    using Type = T;
};
template <class T>
struct ItemOf<std::optional<T>> : std::bool_constant<replay::Mirror<T> || Named<T>> {
    using Type = T;
};

/// Reads a Python object. Throws nanobind::cast_error for one of another type.
template <class T>
void read(nanobind::handle from, T& into) {
    if constexpr (replay::Mirror<T>) {
        T::fields([&](const char* name, auto member, replay::Allowed) {
            try {
                read(from.attr(name), into.*member);
            } catch (const nanobind::cast_error&) {
                throw replay::ReplayError(std::string(name) +
                                          " has a value of another type than a replay can use");
            }
        });
    } else if constexpr (Named<T>) {
        into = value_of<T>(nanobind::cast<std::string>(from));
    } else if constexpr (ItemOf<T>::value && requires { into.push_back({}); }) {
        for (const nanobind::handle each : from) read(each, into.emplace_back());
    } else if constexpr (ItemOf<T>::value) {
        if (!from.is_none()) read(from, into.emplace());
    } else if constexpr (std::is_same_v<T, replay::OverheadCurve>) {
        into = replay::OverheadCurve(nanobind::cast<std::vector<std::pair<double, double>>>(from));
    } else if constexpr (std::is_same_v<T, replay::collectives::Rules>) {
        into = collective_rules(from);
    } else {
        into = nanobind::cast<T>(from);
    }
}

/// Appends the dotted names of a mirror's fields.
template <replay::Mirror T>
void append_names(const std::string& table, std::vector<std::string>& names) {
    T::fields([&]<class Member>(const char* name, Member T::*, replay::Allowed) {
        if constexpr (replay::Mirror<Member>)
            append_names<Member>(table + name + ".", names);
        else if constexpr (ItemOf<Member>::value)
            if constexpr (replay::Mirror<typename ItemOf<Member>::Type>)
                append_names<typename ItemOf<Member>::Type>(table + name + ".", names);
            else
                names.push_back(table + name);
        else
            names.push_back(table + name);
    });
}

}  // namespace linkworth::bindings
