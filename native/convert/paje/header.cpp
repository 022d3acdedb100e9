// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/paje/header.hpp"

#include <algorithm>
#include <initializer_list>

namespace linkworth::convert {
namespace {

struct EventField {
    std::string_view name;
    std::string_view type;
};

void define_fields(TextFile& file, std::initializer_list<EventField> fields) {
    for (const EventField& field : fields) file << "%  " << field.name << " " << field.type << "\n";
}

void define(TextFile& file, std::string_view name, int number, std::initializer_list<EventField> fields) {
    file << "%EventDef " << name << " " << number << "\n";
    define_fields(file, fields);
    file << "%EndEventDef\n";
}

void define_events(TextFile& file) {
    const EventField alias{"Alias", "string"};
    const EventField type{"Type", "string"};
    const EventField name{"Name", "string"};
    const EventField time{"Time", "date"};
    const EventField container{"Container", "string"};
    const EventField value{"Value", "string"};
    const EventField key{"Key", "string"};
    define(file, "PajeDefineContainerType", paje::define_container_type, {alias, type, name});
    define(file, "PajeDefineStateType", paje::define_state_type, {alias, type, name});
    define(file, "PajeDefineLinkType", paje::define_link_type,
           {alias, type, {"StartContainerType", "string"}, {"EndContainerType", "string"}, name});
    define(file, "PajeDefineEntityValue", paje::define_entity_value, {alias, type, name, {"Color", "color"}});
    define(file, "PajeCreateContainer", paje::create_container,
           {time, alias, type, container, name, {"Host", "string"}});
    define(file, "PajeDestroyContainer", paje::destroy_container, {time, type, name});
    define(file, "PajePopState", paje::pop_state, {time, container, type});
    define(file, "PajeStartLink", paje::start_link,
           {time, container, type, {"StartContainer", "string"}, value, key, {"bytes", "string"}});
    define(file, "PajeEndLink", paje::end_link,
           {time, container, type, {"EndContainer", "string"}, value, key});
    for (int number = 0; number <= static_cast<int>(tracefile::last_class); ++number) {
        const auto call_class = static_cast<tracefile::CallClass>(number);
        file << "%EventDef PajePushState " << paje::first_call + number << "\n";
        define_fields(file, {time, container, type, value});
        for (const Field field : numbers_of(call_class)) file << "%  " << column_name(field) << " string\n";
        file << "%EndEventDef\n";
    }
}

/// Puts a text in quotes, without characters that would end them.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char each : text) out += each == '"' || static_cast<unsigned char>(each) < ' ' ? '_' : each;
    return out + "\"";
}

/// Waiting is red, data from rank to rank blue, between all orange, the rest grey.
std::string_view colour(const tracefile::Trace& trace, std::uint32_t name) {
    const std::string& call = trace.names()[name];
    if (call.find("Wait") != std::string::npos || call.find("Test") != std::string::npos)
        return "0.8 0.2 0.2";
    if (trace.collective_of(name) != tracefile::Collective::none) return "0.9 0.6 0.1";
    if (call.find("send") != std::string::npos || call.find("recv") != std::string::npos ||
        call.find("Send") != std::string::npos || call.find("Recv") != std::string::npos)
        return "0.2 0.4 0.8";
    return "0.6 0.6 0.6";
}

void define_value(TextFile& file, const tracefile::Trace& trace, std::uint32_t name, std::string_view alias,
                  std::string_view type) {
    file << paje::define_entity_value << " " << alias << name << " " << type << " "
         << quoted(trace.names()[name]) << " \"" << colour(trace, name) << "\"\n";
}

}  // namespace

void write_paje_header(TextFile& file, const tracefile::Trace& trace, const std::vector<std::string>& hosts,
                       const paje::FurtherThreads& threads_of_ranks) {
    const bool threads =
        std::ranges::any_of(threads_of_ranks, [](const auto& further) { return !further.empty(); });
    define_events(file);
    file << paje::define_container_type << " P 0 Program\n"
         << paje::define_container_type << " R P Rank\n"
         << paje::define_state_type << " S R \"MPI call\"\n"
         << paje::define_link_type << " L P R R Message\n";
    if (threads)
        file << paje::define_container_type << " T R Thread\n"
             << paje::define_state_type << " Z T \"MPI call\"\n";
    for (std::uint32_t name = 0; name < trace.names().size(); ++name) {
        define_value(file, trace, name, "c", "S");
        if (threads) define_value(file, trace, name, "z", "Z");
    }
    file << paje::create_container << " 0 p P 0 program -\n";
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        file << paje::create_container << " 0 r" << rank << " R p \"rank " << rank << "\" "
             << quoted(rank < hosts.size() ? hosts[rank] : "-") << "\n";
        for (const std::uint32_t thread : threads_of_ranks[rank])
            file << paje::create_container << " 0 r" << rank << "t" << thread << " T r" << rank << " \"rank "
                 << rank << " thread " << thread << "\" -\n";
    }
}

}  // namespace linkworth::convert
