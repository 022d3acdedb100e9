// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Conversion of one rank's time-independent actions to the events of a trace.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "convert/ti/arguments.hpp"
#include "convert/ti/import.hpp"
#include "trace/writer.hpp"

namespace linkworth::convert {

/// State that all ranks share.
struct TiImport {
    tracefile::TraceWriter& writer;
    std::uint32_t ranks = 0;
    double flops_per_second = 0;
    TiImportResult& result;
};

class TiRankImport {
  public:
    TiRankImport(TiImport& import, std::uint32_t rank) : import_(import), rank_(rank) {}

    /// Takes the line's action. Throws ConvertError.
    void take(const TiLines& line);

  private:
    using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  ///< source, destination, tag

    bool take_local(std::string_view action, const TiArguments& arguments);
    bool take_message(std::string_view action, const TiArguments& arguments);
    bool take_request(std::string_view action, const TiArguments& arguments);
    bool take_collective(std::string_view action, const TiArguments& arguments);
    bool take_collective_by_rank(std::string_view action, const TiArguments& arguments);

    void wait(const TiArguments& arguments);
    void wait_for_all();
    void put(const std::string& name, tracefile::CallClass call_class, tracefile::Shape shape = {});
    void put_collective(const std::string& name, std::int32_t root, std::uint64_t bytes,
                        std::uint64_t recv_bytes);
    /// Arithmetic of a reduction comes after its messages.
    void compute(double flops) { gap_seconds_ += flops / import_.flops_per_second; }
    bool is(std::int32_t root) const { return root == static_cast<std::int32_t>(rank_); }

    TiImport& import_;
    std::uint32_t rank_;
    std::uint32_t element_bytes_ = 1;  ///< if an action names no datatype
    double gap_seconds_ = 0;
    std::uint64_t next_request_ = 0;
    std::map<Key, std::deque<std::uint64_t>> begun_;  ///< requests that nothing has waited for
};

}  // namespace linkworth::convert
