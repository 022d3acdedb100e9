// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace linkworth::npb {

/// Uninitialised array on its own pages. Arrays of several huge pages request them, because strided walks
/// through hundreds of megabytes otherwise miss the TLB at every step. Throws std::bad_alloc.
template <class T>
class HugeArray {
  public:
    HugeArray() = default;
    explicit HugeArray(std::size_t size) : size_(size) {
        constexpr std::size_t kHugePage = std::size_t{2} << 20;
        const std::size_t bytes = size * sizeof(T);
        const std::size_t alignment = bytes >= 4 * kHugePage ? kHugePage : 4096;
        const std::size_t rounded = (bytes + alignment) / alignment * alignment;
        data_.reset(static_cast<T*>(std::aligned_alloc(alignment, rounded)));
        if (!data_) throw std::bad_alloc();
        if (alignment == kHugePage) madvise(data_.get(), bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
    }

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }
    operator std::span<T>() { return {data_.get(), size_}; }
    operator std::span<const T>() const { return {data_.get(), size_}; }

  private:
    struct Free {
        void operator()(T* data) const { std::free(data); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace linkworth::npb
