// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Numbers of a call besides its times. Other formats show them as arguments or columns.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "calls/call_fields.hpp"

namespace linkworth::convert {

using tracefile::Field;
using tracefile::number_count;

/// Visitor that calls `take(field, value)` for each number, without a value if the call has none.
template <class Take>
class NumberVisitor {
  public:
    explicit NumberVisitor(Take take) : take_(take) {}

    template <class Body>
    void where(bool condition, Body body) {
        present_ = condition;
        body();
        present_ = true;
    }

    template <class T>
    void operator()(Field field, const T& value, tracefile::Coding coding) {
        if (static_cast<std::size_t>(field) >= number_count) return;
        std::int64_t number = 0;
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
            number = static_cast<std::int64_t>(value);
        else
            number = static_cast<std::int64_t>(value.size());
        const bool is_none = number == -1 && (coding == tracefile::Coding::or_none || field == Field::root);
        take_(field, present_ && !is_none ? std::optional(number) : std::nullopt);
    }

  private:
    Take take_;
    bool present_ = true;
};

/// Calls `take(field, value)` for each number of the call, in a fixed order. The value is absent if this
/// call has none: the match of a receive without a wildcard, the root of an all-to-all, the number of
/// MPI_COMM_NULL.
template <class Take>
void each_number(const tracefile::Shape& call, Take take) {
    tracefile::visit_fields(call, NumberVisitor<Take>(take));
}

/// Returns the numbers that the calls of a class have, in the order of `each_number`.
inline std::vector<Field> numbers_of(tracefile::CallClass call_class) {
    tracefile::Shape call;
    call.call_class = call_class;
    std::vector<Field> fields;
    each_number(call, [&fields](Field field, std::optional<std::int64_t>) { fields.push_back(field); });
    return fields;
}

inline std::string_view column_name(Field field) { return tracefile::names_of(field).column; }

}  // namespace linkworth::convert
