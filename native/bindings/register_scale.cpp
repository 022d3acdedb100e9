// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// All events of a rank at once: its different calls as a list, and by event a number in it and the times.
/// Loops of calls.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "bindings/numpy_array.hpp"
#include "bindings/text.hpp"
#include "bindings/without_gil.hpp"
#include "calls/names.hpp"
#include "scale/fold.hpp"
#include "scale/parse.hpp"
#include "shape_fields.hpp"
#include "trace/shape_codec.hpp"
#include "trace/thread_turns.hpp"
#include "trace/trace.hpp"
#include "trace/writer.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_scale(nb::module_& module);

namespace {

using tracefile::Shape;
using tracefile::Trace;
using tracefile::TraceError;
using tracefile::TraceWriter;

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct RankCalls {
    std::vector<Shape> shapes;
    std::vector<std::uint32_t> call;
    std::vector<double> gap, cpu, duration;
    std::uint64_t threaded = 0;  ///< calls up to the last of another thread, if several call MPI at once
};

RankCalls read_events(const Trace& trace, std::uint32_t rank) {
    RankCalls out;
    std::unordered_map<std::string, std::uint32_t> known;
    std::vector<std::uint32_t> of_block;  // by the shape's number in the block, plus one; 0: not seen yet
    std::vector<std::uint8_t> payload;
    std::uint64_t block = 0;
    tracefile::RankCursor cursor = trace.cursor(rank);
    tracefile::Event event;
    tracefile::ThreadTurns turns;
    while (cursor.next(event)) {
        if (cursor.blocks() != block) {
            of_block.clear();
            block = cursor.blocks();
        }
        const tracefile::EventRow& row = cursor.row();
        if (of_block.size() <= row.shape) of_block.resize(row.shape + std::size_t{1});
        std::uint32_t& number = of_block[row.shape];
        if (number == 0 || row.has_arguments) {
            payload.clear();
            tracefile::encode_shape(*event.shape, payload);
            // The codec writes the name of the call, not the one at its call site.
            std::string key = std::to_string(event.shape->entry) + ' ';
            key.append(payload.begin(), payload.end());
            const auto [found, is_new] =
                known.emplace(std::move(key), static_cast<std::uint32_t>(out.shapes.size()));
            if (is_new) out.shapes.push_back(*event.shape);
            number = found->second + 1;
        }
        out.call.push_back(number - 1);
        out.gap.push_back(event.gap_seconds);
        out.cpu.push_back(event.cpu_seconds);
        out.duration.push_back(event.duration_seconds);
        turns.take(event);
        if (event.thread != 0) out.threaded = out.call.size();
    }
    if (!turns.at_once()) out.threaded = 0;
    return out;
}

nb::dict read_rank(const Trace& trace, std::uint32_t rank) {
    if (rank >= trace.ranks()) throw nb::index_error("there is no such rank");
    auto read = without_gil([&] { return read_events(trace, rank); });
    nb::list calls;
    for (const Shape& shape : read.shapes)
        calls.append(nb::make_tuple(shape.entry, std::string(tracefile::class_name(shape.call_class)),
                                    shape_to_dict(shape)));
    nb::dict out;
    out["calls"] = calls;
    out["call"] = array(std::move(read.call));
    out["gap_seconds"] = array(std::move(read.gap));
    out["cpu_seconds"] = array(std::move(read.cpu));
    out["duration_seconds"] = array(std::move(read.duration));
    out["threaded"] = read.threaded;
    return out;
}

/// Writes all events of a rank and ends it.
void write_rank(TraceWriter& writer, std::uint32_t rank, const nb::list& calls,
                const Column<std::uint32_t>& call, const Column<double>& gap, const Column<double>& cpu,
                const Column<double>& duration) {
    const std::size_t events = call.shape(0);
    if (gap.shape(0) != events || cpu.shape(0) != events || duration.shape(0) != events)
        throw TraceError("the columns of a rank's events differ in length");
    std::vector<Shape> shapes;
    for (const nb::handle each : calls) {
        Shape& shape = shapes.emplace_back();
        const auto call_class = nb::cast<std::string>(each[1]);
        if (!tracefile::class_by_name(call_class, shape.call_class))
            throw TraceError("there is no call class " + call_class);
        shape.name = writer.name(nb::cast<std::string>(each[0]));
        shape_from_dict(nb::cast<nb::dict>(each[2]), shape);
    }
    const nb::gil_scoped_release released;
    struct Known {
        std::uint32_t block = UINT32_MAX;
        std::uint32_t number = 0;
    };
    std::vector<Known> known(shapes.size());
    tracefile::RankWriter& out = writer.rank(rank);
    for (std::size_t at = 0; at < events; ++at) {
        const std::uint32_t which = call.data()[at];
        if (which >= shapes.size()) throw TraceError("an event names no call of its list");
        if (known[which].block != out.block()) {
            // Encoding may open a new block, so the block is asked afterwards.
            const std::uint32_t number = out.shape(shapes[which]);
            known[which] = {out.block(), number};
        }
        const double of_cpu = cpu.data()[at];
        out.event(known[which].number, tracefile::makes_request(shapes[which].call_class),
                  tracefile::nanoseconds(gap.data()[at]),
                  of_cpu < 0 ? -1 : static_cast<std::int64_t>(tracefile::nanoseconds(of_cpu)),
                  tracefile::nanoseconds(duration.data()[at]));
    }
    writer.finish(rank);
}

nb::object fold_sequence(const std::vector<std::int64_t>& symbols) {
    const scale::Grammar found = without_gil([&] { return scale::fold(symbols); });
    return nb::make_tuple(found.top, found.loops);
}

nb::list nested(const scale::Items& items) {
    nb::list out;
    for (const scale::Item& item : items) {
        if (!item.is_loop) {
            out.append(item.position);
            continue;
        }
        const auto is_loop = [](const scale::Item& each) { return each.is_loop; };
        if (!item.iterations.empty() && std::ranges::none_of(item.iterations[0], is_loop)) {
            const scale::Items& first = item.iterations[0];
            out.append(nb::make_tuple(first[0].position, item.iterations.size(), first.size()));
            continue;
        }
        nb::list iterations;
        for (const scale::Items& iteration : item.iterations) iterations.append(nested(iteration));
        out.append(iterations);
    }
    return out;
}

nb::object parse_sequence(scale::Body top, std::vector<scale::Body> loops, const std::vector<bool>& optional,
                          const std::vector<std::int64_t>& symbols) {
    const scale::Grammar grammar{std::move(top), std::move(loops)};
    const auto found = without_gil([&] { return scale::parse(grammar, optional, symbols); });
    if (const auto* const position = std::get_if<std::size_t>(&found)) return nb::int_(*position);
    return nested(std::get<scale::Items>(found));
}

}  // namespace

void register_scale(nb::module_& module) {
    module.def("fold_sequence", &fold_sequence, nb::arg("symbols"));
    module.def("parse_sequence", &parse_sequence, nb::arg("top"), nb::arg("loops"), nb::arg("optional"),
               nb::arg("symbols"));
    module.def(
        "makes_request",
        [](const std::string& call_class) {
            tracefile::CallClass found{};
            return tracefile::class_by_name(call_class, found) && tracefile::makes_request(found);
        },
        nb::arg("call_class"));
    module.def("read_rank", &read_rank, nb::arg("trace"), nb::arg("rank"));
    module.def("write_rank", &write_rank, nb::arg("writer"), nb::arg("rank"), nb::arg("calls"),
               nb::arg("call"), nb::arg("gap_seconds"), nb::arg("cpu_seconds"), nb::arg("duration_seconds"));
}

}  // namespace linkworth::bindings
