// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "shape_fields.hpp"

#include <nanobind/stl/vector.h>

#include <string>
#include <type_traits>
#include <vector>

#include "bindings/text.hpp"
#include "calls/call_fields.hpp"
#include "calls/names.hpp"
#include "trace/trace.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {
namespace {

using tracefile::Coding;
using tracefile::Completion;
using tracefile::Field;
using tracefile::Shape;

/// A completion is (reference, was_wildcard, peer, tag) in Python.
nb::object to_object(const std::vector<Completion>& completions) {
    nb::list out;
    for (const auto& [reference, was_wildcard, peer, tag] : completions)
        out.append(nb::make_tuple(reference, was_wildcard, peer, tag));
    return out;
}

template <class T>
nb::object to_object(const T& value) {
    if constexpr (std::is_enum_v<T>)
        return nb::cast(static_cast<std::uint8_t>(value));
    else
        return nb::cast(value);
}

void from_object(nb::handle object, std::vector<Completion>& completions) {
    for (const nb::handle item : nb::iter(object))
        completions.push_back({nb::cast<std::uint64_t>(item[0]), nb::cast<bool>(item[1]),
                               nb::cast<std::int32_t>(item[2]), nb::cast<std::int32_t>(item[3])});
}

template <class T>
void from_object(nb::handle object, T& value) {
    if constexpr (std::is_enum_v<T>)
        value = static_cast<T>(nb::cast<std::uint8_t>(object));
    else
        value = nb::cast<T>(object);
}

nb::object key_of(Field field) { return to_python(tracefile::names_of(field).member); }

struct DictWriter {
    nb::dict out;

    template <class Body>
    void where(bool, Body body) {
        body();
    }
    template <class T>
    void operator()(Field field, const T& value, Coding) {
        out[key_of(field)] = to_object(value);
    }
};

struct DictReader {
    const nb::dict& fields;
    std::size_t taken = 0;

    template <class Body>
    void where(bool, Body body) {
        body();
    }
    template <class T>
    void operator()(Field field, T& value, Coding) {
        const nb::object key = key_of(field);
        if (!fields.contains(key)) return;
        ++taken;
        try {
            from_object(fields[key], value);
        } catch (const nb::cast_error&) {
            throw tracefile::TraceError("field " + std::string(tracefile::names_of(field).member) +
                                        " of a call has a value of the wrong kind or size");
        }
    }
};

}  // namespace

nb::dict shape_to_dict(const Shape& shape) {
    DictWriter writer;
    tracefile::visit_fields(shape, writer);
    return writer.out;
}

void shape_from_dict(const nb::dict& fields, Shape& shape) {
    DictReader reader{fields};
    tracefile::visit_fields(shape, reader);
    if (reader.taken == fields.size()) return;
    const nb::dict known = shape_to_dict(shape);
    for (const auto [key, value] : fields)
        if (!known.contains(key))
            throw tracefile::TraceError("a call of class " +
                                        std::string(tracefile::class_name(shape.call_class)) +
                                        " has no field " + nb::cast<std::string>(key));
}

}  // namespace linkworth::bindings
