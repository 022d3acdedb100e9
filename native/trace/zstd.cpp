// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/zstd.hpp"

#include <dlfcn.h>

#include "trace/trace.hpp"

namespace linkworth::tracefile {
namespace {

// The stable part of the library's ABI, unchanged since Zstandard 1.0 (its manual: "simple" and "explicit
// context" API).
struct Library {
    std::size_t (*compress_bound)(std::size_t) = nullptr;
    unsigned (*is_error)(std::size_t) = nullptr;
    void* (*create_compressor)() = nullptr;
    std::size_t (*free_compressor)(void*) = nullptr;
    std::size_t (*compress)(void*, void*, std::size_t, const void*, std::size_t, int) = nullptr;
    std::size_t (*set_parameter)(void*, int, int) = nullptr;
    std::size_t (*compress_as_set)(void*, void*, std::size_t, const void*, std::size_t) = nullptr;
    void* (*create_decompressor)() = nullptr;
    std::size_t (*free_decompressor)(void*) = nullptr;
    std::size_t (*decompress)(void*, void*, std::size_t, const void*, std::size_t) = nullptr;
    bool loaded = false;
};

template <class Function>
bool resolve(void* handle, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    return function != nullptr;
}

Library load_library() {
    Library library;
    void* handle = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return library;
    library.loaded = resolve(handle, "ZSTD_compressBound", library.compress_bound) &&
                     resolve(handle, "ZSTD_isError", library.is_error) &&
                     resolve(handle, "ZSTD_createCCtx", library.create_compressor) &&
                     resolve(handle, "ZSTD_freeCCtx", library.free_compressor) &&
                     resolve(handle, "ZSTD_compressCCtx", library.compress) &&
                     resolve(handle, "ZSTD_CCtx_setParameter", library.set_parameter) &&
                     resolve(handle, "ZSTD_compress2", library.compress_as_set) &&
                     resolve(handle, "ZSTD_createDCtx", library.create_decompressor) &&
                     resolve(handle, "ZSTD_freeDCtx", library.free_decompressor) &&
                     resolve(handle, "ZSTD_decompressDCtx", library.decompress);
    return library;
}

const Library& library() {
    static const Library loaded = load_library();
    return loaded;
}

// Level 3 is the library's default: on streams of varints higher levels cost much time for few per cent.
constexpr int level = 3;

// Numbers of zstd.h's ZSTD_cParameter and ZSTD_strategy, which are fixed since 1.4.0.
constexpr int parameter_level = 100;
constexpr int parameter_least_match = 105;
constexpr int parameter_target_length = 106;
constexpr int parameter_strategy = 107;
constexpr int longest_least_match = 7;
constexpr int strategy_fast = 1;
// From the experimental part, present since 1.3.8. Without it, too long steps switch entropy coding off.
constexpr int parameter_literal_compression = 1002;
constexpr int literals_compressed = 1;
constexpr int longest_step = 1 << 17;

}  // namespace

Compressor::Compressor() {
    if (library().loaded) {
        context_ = library().create_compressor();
        // Only for `compress_symbols`, because the simple call uses only its level.
        library().set_parameter(context_, parameter_level, level);
        library().set_parameter(context_, parameter_strategy, strategy_fast);
        library().set_parameter(context_, parameter_least_match, longest_least_match);
        can_code_literals_ = library().is_error(library().set_parameter(
                                 context_, parameter_literal_compression, literals_compressed)) == 0;
    }
}

Compressor::~Compressor() {
    if (context_ != nullptr) library().free_compressor(context_);
}

bool Compressor::compress(std::span<const std::uint8_t> raw, std::vector<std::uint8_t>& out) {
    if (context_ == nullptr) return false;
    out.resize(library().compress_bound(raw.size()));
    const std::size_t size =
        library().compress(context_, out.data(), out.size(), raw.data(), raw.size(), level);
    if (library().is_error(size) != 0 || size >= raw.size()) return false;
    out.resize(size);
    return true;
}

bool Compressor::compress_symbols(std::span<const std::uint8_t> raw, std::vector<std::uint8_t>& out) {
    if (context_ == nullptr) return false;
    const std::size_t bound = library().compress_bound(raw.size());
    const auto compress_into = [&](std::vector<std::uint8_t>& to) {
        to.resize(bound);
        const std::size_t size =
            library().compress_as_set(context_, to.data(), to.size(), raw.data(), raw.size());
        return library().is_error(size) != 0 ? bound : size;
    };
    std::size_t size = compress_into(out);
    // Noise repeats only by chance, and copies of it take more bytes and time than Huffman coding. Copies are
    // good only for runs of one symbol.
    if (can_code_literals_) {
        library().set_parameter(context_, parameter_target_length, longest_step);
        const std::size_t coded = compress_into(other_);
        library().set_parameter(context_, parameter_target_length, 0);
        if (coded <= size) {
            out.swap(other_);
            size = coded;
        }
    }
    if (size >= raw.size()) return false;
    out.resize(size);
    return true;
}

Decompressor::~Decompressor() {
    if (context_ != nullptr) library().free_decompressor(context_);
}

bool Decompressor::expand(std::span<const std::uint8_t> stored, std::uint8_t* out, std::size_t raw_bytes) {
    if (!library().loaded) {
        throw TraceError(
            "this trace is compressed with Zstandard, which is not on this machine: install libzstd.so.1 "
            "(Debian and Ubuntu: libzstd1; RHEL: libzstd)");
    }
    if (context_ == nullptr) context_ = library().create_decompressor();
    const std::size_t size = library().decompress(context_, out, raw_bytes, stored.data(), stored.size());
    return library().is_error(size) == 0 && size == raw_bytes;
}

}  // namespace linkworth::tracefile
