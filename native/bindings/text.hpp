// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Text between Python and the engine. Paths and names may have bytes that are not UTF-8, which Python keeps
/// by its `surrogateescape`. This header takes the place of nanobind's own for strings, which refuse them.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <string>
#include <string_view>

namespace linkworth::bindings {

/// A new reference to a Python string.
inline nanobind::object to_python(std::string_view text) {
    return nanobind::steal(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

/// Makes a Python exception of an error that the engine throws.
template <typename Error>
nanobind::object add_exception(nanobind::module_& module, const char* name, nanobind::handle base) {
    const std::string full = nanobind::cast<std::string>(module.attr("__name__")) + "." + name;
    nanobind::object type = nanobind::steal(PyErr_NewException(full.c_str(), base.ptr(), nullptr));
    module.attr(name) = type;
    nanobind::register_exception_translator(
        [](const std::exception_ptr& thrown, void* payload) {
            try {
                std::rethrow_exception(thrown);
            } catch (const Error& error) {
                PyErr_SetObject(static_cast<PyObject*>(payload), to_python(error.what()).ptr());
            }
        },
        type.ptr());
    return type;
}

}  // namespace linkworth::bindings

namespace nanobind::detail {

template <>
struct type_caster<std::string> {
    NB_TYPE_CASTER(std::string, const_name("str"))

    bool from_python(handle source, std::uint32_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
        if (!PyUnicode_Check(source.ptr())) return false;
        const object bytes = steal(PyUnicode_AsEncodedString(source.ptr(), "utf-8", "surrogateescape"));
        if (!bytes.is_valid()) {
            PyErr_Clear();
            return false;
        }
        value.assign(PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr())));
        return true;
    }

    static handle from_cpp(const std::string& text, rv_policy /*policy*/,
                           cleanup_list* /*cleanup*/) noexcept {
        return linkworth::bindings::to_python(text).release();
    }
};

template <>
struct type_caster<std::string_view> {
    NB_TYPE_CASTER(std::string_view, const_name("str"))

    static handle from_cpp(std::string_view text, rv_policy /*policy*/, cleanup_list* /*cleanup*/) noexcept {
        return linkworth::bindings::to_python(text).release();
    }
};

}  // namespace nanobind::detail
