// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The arguments of one action of a time-independent trace, checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "convert/ti/lines.hpp"

namespace linkworth::convert {

class TiArguments {
  public:
    /// The line's third word is the action's first argument.
    TiArguments(const TiLines& line, std::uint32_t ranks) : line_(line), ranks_(ranks) {}

    std::size_t count() const { return line_.words().size() - 2; }
    /// Throws ConvertError if there are fewer than `least` arguments; `names` lists what they are.
    void need(std::size_t least, std::string_view names) const;
    /// A number that is not negative: flops, seconds.
    double amount(std::size_t index) const;
    /// Elements of `element_bytes` as bytes.
    std::uint64_t bytes(std::size_t index, std::uint32_t element_bytes) const;
    /// One of these for each rank, from `index` on.
    std::vector<std::uint64_t> bytes_by_rank(std::size_t index, std::uint32_t element_bytes) const;
    /// A rank of the program.
    std::int32_t rank(std::size_t index, std::string_view what) const;
    /// Returns the root that this argument names, or rank 0 if there is none.
    std::int32_t root(std::size_t index) const { return index < count() ? rank(index, "root") : 0; }
    std::int32_t tag(std::size_t index) const;
    /// Returns the size of the datatype whose number is there, or `otherwise` if there is none.
    std::uint32_t datatype_bytes(std::size_t index, std::uint32_t otherwise) const;
    /// Returns whether the number there is zero or less: a receive whose size only its sender knows.
    bool is_unknown_size(std::size_t index) const { return number(index) <= 0; }

  private:
    std::string_view word(std::size_t index) const { return line_.words()[index + 2]; }
    double number(std::size_t index) const;
    std::int64_t integer(std::size_t index, std::string_view what) const;

    const TiLines& line_;
    std::uint32_t ranks_;
};

}  // namespace linkworth::convert
