// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <cmath>
#include <cstdio>

namespace linkworth::netbench {

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (code < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(code));
            result += escaped;
        } else {
            result += c;
        }
    }
    return result + '"';
}

void JsonLine::name(std::string_view name) {
    if (text_.size() > 1) text_ += ',';
    text_ += quoted(name);
    text_ += ':';
}

JsonLine& JsonLine::text(std::string_view key, std::string_view value) { return raw(key, quoted(value)); }

JsonLine& JsonLine::number(std::string_view key, double value) {
    if (!std::isfinite(value)) return raw(key, "null");
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g", value);
    return raw(key, digits);
}

JsonLine& JsonLine::count(std::string_view key, std::int64_t value) {
    return raw(key, std::to_string(value));
}

JsonLine& JsonLine::raw(std::string_view key, std::string_view json) {
    name(key);
    text_ += json;
    return *this;
}

}  // namespace linkworth::netbench
