// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/ti/actions.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "convert/convert_error.hpp"
#include "convert/ti/ti.hpp"

namespace linkworth::convert {
namespace {

/// SimGrid keeps counts in an int.
constexpr std::uint64_t most_bytes = std::numeric_limits<std::int32_t>::max();

}  // namespace

TiActions::TiActions(std::string path, std::uint32_t rank, double flops_per_second, TiBalance& balance)
    : file_(std::move(path)), rank_(rank), flops_per_second_(flops_per_second), balance_(balance) {
    bare_action("init") << "\n";
}

TextFile& TiActions::bare_action(std::string_view name) {
    ++count_;
    return file_ << rank_ << " " << name;
}

TextFile& TiActions::action(std::string_view name) {
    if (compute_seconds_ > 0)
        bare_action("compute") << " " << std::exchange(compute_seconds_, 0) * flops_per_second_ << "\n";
    return bare_action(name);
}

void TiActions::turn(bool on) { on_ = on; }

void TiActions::sleep(double seconds) {
    if (seconds > 0) action("sleep") << " " << seconds << "\n";
}

void TiActions::check_bytes(std::uint64_t bytes, std::string_view call) const {
    if (bytes > most_bytes)
        throw ConvertError(std::string(call) + " of " + std::to_string(bytes) + " bytes on rank " +
                           std::to_string(rank_) + ": a time-independent trace holds at most " +
                           std::to_string(most_bytes) + " bytes a message");
}

void TiActions::send(const TiMessage& message, std::string_view call) {
    check_bytes(message.bytes, call);
    balance_.sent(rank_, message.peer, message.tag);
    action("send") << " " << message.peer << " " << message.tag << " " << message.bytes << "\n";
}

// A receive names its capacity, which may well be more than any message has.
void TiActions::receive(const TiMessage& message) {
    balance_.received(message.peer, rank_, message.tag);
    action("recv") << " " << message.peer << " " << message.tag << " " << std::min(message.bytes, most_bytes)
                   << "\n";
}

TiRequest TiActions::isend(const TiMessage& message, std::string_view call) {
    check_bytes(message.bytes, call);
    balance_.sent(rank_, message.peer, message.tag);
    action("isend") << " " << message.peer << " " << message.tag << " " << message.bytes << "\n";
    ++outstanding_;
    return {rank_, message.peer, message.tag};
}

TiRequest TiActions::ireceive(const TiMessage& message) {
    balance_.received(message.peer, rank_, message.tag);
    action("irecv") << " " << message.peer << " " << message.tag << " " << std::min(message.bytes, most_bytes)
                    << "\n";
    ++outstanding_;
    return {message.peer, rank_, message.tag};
}

void TiActions::wait_for(const std::vector<TiRequest>& requests) {
    // `waitall` waits for all there is.
    if (requests.size() > 1 && requests.size() == outstanding_)
        action("waitall") << "\n";
    else
        for (const TiRequest& request : requests)
            action("wait") << " " << request.source << " " << request.destination << " " << request.tag
                           << "\n";
    outstanding_ -= requests.size();
}

void TiActions::finish() {
    action("finalize") << "\n";
    file_.close();
}

}  // namespace linkworth::convert
