// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Zstandard through the system's library, found at run time: nothing to link, and a trace can be written
/// without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linkworth::tracefile {

/// Compresses one block; keeps its working memory between blocks. Do not share it between threads.
class Compressor {
  public:
    Compressor();
    ~Compressor();
    Compressor(const Compressor&) = delete;
    Compressor& operator=(const Compressor&) = delete;

    /// Fills `out`. Returns false (and `out` is of no use) if Zstandard is missing or the result would not be
    /// smaller.
    bool compress(std::span<const std::uint8_t> raw, std::vector<std::uint8_t>& out);
    /// The same for bytes that seldom repeat in order and only differ in frequency. Uses long matches or
    /// none, whichever is smaller.
    bool compress_symbols(std::span<const std::uint8_t> raw, std::vector<std::uint8_t>& out);

  private:
    void* context_ = nullptr;
    bool can_code_literals_ = false;  ///< the library knows how to compress without looking for repetition
    std::vector<std::uint8_t> other_;
};

/// Expands one block; keeps its working memory between blocks. Do not share it between threads.
class Decompressor {
  public:
    Decompressor() = default;
    ~Decompressor();
    Decompressor(const Decompressor&) = delete;
    Decompressor& operator=(const Decompressor&) = delete;

    /// Writes exactly `raw_bytes` to `out`. Returns false if the data does not expand to that. Throws
    /// TraceError if Zstandard is missing.
    bool expand(std::span<const std::uint8_t> stored, std::uint8_t* out, std::size_t raw_bytes);

  private:
    void* context_ = nullptr;
};

}  // namespace linkworth::tracefile
