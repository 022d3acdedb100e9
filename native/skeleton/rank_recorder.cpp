// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "skeleton/rank_recorder.hpp"

#include <string>

#include "trace/trace.hpp"

namespace linkworth::skeleton {

using tracefile::CallClass;
using tracefile::CompleteMode;
using tracefile::Shape;

void RankRecorder::add_names(tracefile::TraceWriter& trace) {
    for (const std::string_view name : kCallNames) trace.name(std::string(name));
}

Shape& RankRecorder::fresh_shape() {
    shape_.send_counts.clear();
    shape_.recv_counts.clear();
    shape_.completions.clear();
    shape_.members.clear();
    shape_.comm = shape_.peer = shape_.tag = shape_.code = 0;
    shape_.new_comm = -1;
    shape_.bytes = shape_.recv_bytes = 0;
    shape_.element_bytes = 1;
    shape_.listed = 0;
    shape_.mode = CompleteMode::wait;
    return shape_;
}

std::uint32_t RankRecorder::simple_shape(Call call, CallClass call_class, int communicator, int peer, int tag,
                                         std::uint64_t bytes) {
    Shape& shape = fresh_shape();
    shape.name = static_cast<std::uint32_t>(call);
    shape.call_class = call_class;
    if (call_class == CallClass::complete) {
        shape.listed = 1;
        shape.completions.push_back({.reference = bytes});
    } else {
        shape.comm = communicator;
        shape.peer = peer;
        shape.tag = tag;
        shape.bytes = bytes;
    }
    return out_->shape(shape);
}

void RankRecorder::record(Call call, Shape& shape) {
    const std::int64_t gap = take_gap();
    if (out_ == nullptr) return;
    shape.name = static_cast<std::uint32_t>(call);
    write(out_->shape(shape), tracefile::makes_request(shape.call_class), gap);
}

void RankRecorder::wait(Request& request) {
    if (!request.live) return complete(Call::wait, CompleteMode::wait, {});
    // The reference takes the place of a message's bytes.
    record_known(Call::wait, CallClass::complete, 0, 0, 0, next_request_ - request.number);
    request.live = false;
}

void RankRecorder::wait_all(std::span<Request> requests) {
    complete(Call::wait_all, CompleteMode::waitall, requests);
}

void RankRecorder::complete(Call call, CompleteMode mode, std::span<Request> requests) {
    Shape& shape = fresh_shape();
    shape.call_class = CallClass::complete;
    shape.mode = mode;
    for (Request& request : requests) {
        if (!request.live) continue;
        shape.completions.push_back({.reference = next_request_ - request.number});
        request.live = false;
    }
    shape.listed = static_cast<std::uint32_t>(shape.completions.size());
    record(call, shape);
}

void RankRecorder::mark_region(int level) {
    const std::vector<double>& now = work_.counts();
    in_region_.resize(now.size());
    if (level > 0) {
        // A program may mark each iteration: the region goes on from its first mark.
        if (at_mark_.empty()) at_mark_ = now;
    } else if (!at_mark_.empty()) {
        for (std::size_t i = 0; i < now.size(); ++i) in_region_[i] += now[i] - at_mark_[i];
        at_mark_.clear();
        marked_ = true;
    }
    Shape& shape = fresh_shape();
    shape.call_class = CallClass::pcontrol;
    shape.code = level;
    record(Call::pcontrol, shape);
}

void RankRecorder::refuse(double seconds) {
    throw tracefile::TraceError("the computation before one MPI call is counted as " +
                                std::to_string(seconds) +
                                " seconds; a trace holds up to 1e9: check the rates of the skeleton");
}

}  // namespace linkworth::skeleton
