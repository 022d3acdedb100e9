// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// One rank's file of time-independent actions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "convert/text_file.hpp"
#include "convert/ti/matching.hpp"

namespace linkworth::convert {

/// Arguments by which a `wait` identifies its request.
struct TiRequest {
    std::uint32_t source = 0;  ///< world ranks
    std::uint32_t destination = 0;
    std::int32_t tag = 0;
};

struct TiMessage {
    std::uint32_t peer = 0;  ///< world rank
    std::int32_t tag = 0;
    std::uint64_t bytes = 0;
};

class TiActions {
  public:
    TiActions(std::string path, std::uint32_t rank, double flops_per_second, TiBalance& balance);

    /// Outside the converted part, nothing is written.
    bool on() const { return on_; }
    void turn(bool on);

    void compute(double seconds) {
        if (on_) compute_seconds_ += seconds;
    }
    void sleep(double seconds);
    /// `call` is the name for an error message.
    void send(const TiMessage& message, std::string_view call);
    void receive(const TiMessage& message);
    TiRequest isend(const TiMessage& message, std::string_view call);
    TiRequest ireceive(const TiMessage& message);
    void wait_for(const std::vector<TiRequest>& requests);
    /// Starts an action; its arguments and the line's end follow.
    TextFile& action(std::string_view name);
    /// Throws ConvertError for more bytes than the format can express.
    void check_bytes(std::uint64_t bytes, std::string_view call) const;

    /// Ends the file.
    void finish();
    std::uint32_t rank() const { return rank_; }
    std::uint64_t count() const { return count_; }
    std::uint64_t bytes() const { return file_.bytes(); }

  private:
    TextFile& bare_action(std::string_view name);

    TextFile file_;
    std::uint32_t rank_;
    double flops_per_second_;
    TiBalance& balance_;
    bool on_ = true;
    double compute_seconds_ = 0;
    std::uint64_t outstanding_ = 0;  ///< requests that no `wait` has named yet
    std::uint64_t count_ = 0;
};

}  // namespace linkworth::convert
