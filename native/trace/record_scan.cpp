// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/record_scan.hpp"

#include <algorithm>

#include "calls/event.hpp"
#include "calls/names.hpp"
#include "trace/shape_codec.hpp"
#include "trace/varint.hpp"

namespace linkworth::tracefile {
namespace {

struct ScannedShape {
    std::uint32_t name;
    bool modelled;
};

bool scan_shape(ByteReader& in, const std::vector<std::string>& names, Shape& shape) {
    const std::size_t size = in.count();
    const std::uint8_t* const payload = in.position();
    in.skip(size);
    return in.ok() && decode_shape({payload, size}, shape) && shape.name < names.size();
}

}  // namespace

void CallCounts::add(const CallCounts& other) {
    for (std::size_t name = 0; name < other.events.size(); ++name) {
        events[name] += other.events[name];
        not_modelled[name] += other.not_modelled[name];
    }
}

RecordScan scan_records(std::span<const std::uint8_t> records, const std::vector<std::string>& names,
                        CallCounts& counts) {
    RecordScan scan;
    ByteReader in(records.data(), records.data() + records.size());
    std::vector<ScannedShape> shapes;
    Shape shape;
    const auto offset = [&in, &records] { return static_cast<std::size_t>(in.position() - records.data()); };
    while (!in.at_end()) {
        const std::uint64_t head = in.varint();
        if (in.ok() && head == head_end) {
            const auto rest = records.subspan(offset());
            if (std::ranges::any_of(rest, [](std::uint8_t byte) { return byte != 0; }))
                scan.problem = "a record that was being written";
            return scan;
        }
        if (in.ok() && head == head_shape) {
            if (scan_shape(in, names, shape)) {
                const bool modelled = shape.call_class != CallClass::local &&
                                      (!is_collective(shape.call_class) ||
                                       collective_by_name(names[shape.name]) != Collective::none);
                shapes.push_back({shape.name, modelled});
            } else {
                scan.problem = "a malformed shape";
                return scan;
            }
        } else if (in.ok() && head < head_event) {
            scan.problem = "an unknown record (" + std::to_string(head) + ")";
            return scan;
        } else {
            const std::uint64_t gap = in.varint();
            if ((head & 1) != 0) in.varint();
            const std::uint64_t duration = in.varint();
            const std::uint64_t number = (head - head_event) / 2;
            if (!in.ok()) {
                scan.problem = "an unfinished record";
                return scan;
            }
            if (number >= shapes.size()) {
                scan.problem = "a call whose shape is not defined";
                return scan;
            }
            ++scan.events;
            scan.ticks += gap + duration;
            ++counts.events[shapes[number].name];
            counts.not_modelled[shapes[number].name] += shapes[number].modelled ? 0 : 1;
        }
        scan.sound_bytes = offset();
    }
    return scan;
}

}  // namespace linkworth::tracefile
