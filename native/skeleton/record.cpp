// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "skeleton/record.hpp"

#include <cmath>
#include <mutex>

#include "trace/container.hpp"
#include "trace/parallel.hpp"

namespace linkworth::skeleton {
namespace {

using tracefile::CallClass;

void record_rank(const Skeleton& skeleton, Arguments arguments, int rank, RankRecorder& recorder,
                 Work& work) {
    tracefile::Shape& init = recorder.fresh_shape();
    init.call_class = CallClass::init;
    recorder.record(Call::init, init);
    RecordingCommunicator world(recorder, rank);
    skeleton.record(arguments, world, work);
    tracefile::Shape& finalize = recorder.fresh_shape();
    finalize.call_class = CallClass::finalize;
    recorder.record(Call::finalize, finalize);
}

}  // namespace

void check(const Skeleton& skeleton, Arguments arguments, int ranks) {
    if (ranks < 1 || static_cast<std::uint32_t>(ranks) > tracefile::most_ranks) {
        throw UsageError("a run has 1 to " + std::to_string(tracefile::most_ranks) + " ranks, not " +
                         std::to_string(ranks));
    }
    skeleton.check(arguments, ranks);
}

Recording record(const Skeleton& skeleton, Arguments arguments, int ranks,
                 const std::vector<double>& seconds_per_operation, const std::string& path,
                 const std::string& metadata_json, std::size_t threads, const Progress& progress) {
    check(skeleton, arguments, ranks);
    if (seconds_per_operation.size() != skeleton.phases.size()) {
        throw UsageError(std::string(skeleton.name) + " has " + std::to_string(skeleton.phases.size()) +
                         " phases, not " + std::to_string(seconds_per_operation.size()));
    }
    for (const double seconds : seconds_per_operation)
        if (!(seconds >= 0 && std::isfinite(seconds)))
            throw UsageError("the seconds of an operation are 0 or more, not " + std::to_string(seconds));
    tracefile::TraceWriter trace(path, static_cast<std::uint32_t>(ranks), metadata_json);
    RankRecorder::add_names(trace);
    Recording result;
    std::uint32_t done = 0;
    std::mutex mutex;
    tracefile::parallel_for(static_cast<std::size_t>(ranks), threads, [&](std::size_t item) {
        const auto rank = static_cast<std::uint32_t>(item);
        tracefile::RankWriter& out = trace.rank(rank);
        Work work(seconds_per_operation);
        RankRecorder recorder(&out, ranks, work);
        record_rank(skeleton, arguments, static_cast<int>(rank), recorder, work);
        const std::uint64_t events = out.events();
        trace.finish(rank);
        const std::lock_guard lock(mutex);
        result.events += events;
        if (progress) progress(++done);
    });
    trace.close();
    result.file_bytes = trace.bytes();
    return result;
}

std::vector<double> count_work(const Skeleton& skeleton, Arguments arguments, int ranks, int rank,
                               double cache_bytes) {
    check(skeleton, arguments, ranks);
    if (rank < 0 || rank >= ranks)
        throw UsageError("there is no rank " + std::to_string(rank) + " of " + std::to_string(ranks));
    Work work(std::vector<double>(skeleton.phases.size(), 0.0), cache_bytes);
    RankRecorder recorder(nullptr, ranks, work);
    record_rank(skeleton, arguments, rank, recorder, work);
    return recorder.counts();
}

}  // namespace linkworth::skeleton
