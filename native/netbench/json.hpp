// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace linkworth::netbench {

/// One JSON object on one line.
class JsonLine {
  public:
    JsonLine& text(std::string_view name, std::string_view value);
    JsonLine& number(std::string_view name, double value);  ///< null if it is not finite
    JsonLine& count(std::string_view name, std::int64_t value);
    JsonLine& raw(std::string_view name, std::string_view json);
    /// The object, with a newline.
    std::string line() const { return text_ + "}\n"; }

  private:
    void name(std::string_view name);
    std::string text_ = "{";
};

/// A string in quotes, escaped.
std::string quoted(std::string_view text);

}  // namespace linkworth::netbench
