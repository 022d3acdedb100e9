// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Columns that are handed to Python as numpy arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace linkworth::bindings {

/// Gives the vector's memory to numpy.
template <class T>
nanobind::object array(std::vector<T>&& values) {
    namespace nb = nanobind;
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    T* data = kept->data();
    const std::size_t size = kept->size();
    const nb::capsule owner(kept.release(),
                            [](void* held) noexcept { delete static_cast<std::vector<T>*>(held); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

}  // namespace linkworth::bindings
