// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "read.h"

#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "whole_files.h"

struct lw_otf2_reader {
    char* anchor;
    char* creator;
    char* property;
};

static void close_reader(struct lw_otf2_reader* reader) {
    free(reader->anchor);
    free(reader->creator);
    free(reader->property);
    free(reader);
}

static OTF2_ErrorCode read_definitions(OTF2_Reader* archive, const struct lw_otf2_definitions* listener,
                                       uint64_t most) {
    OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(archive);
    if (definitions == NULL) return OTF2_ERROR_PROCESSED_WITH_FAULTS;
    OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_ErrorCode code = callbacks == NULL ? OTF2_ERROR_MEM_ALLOC_FAILED : listen_to_definitions(callbacks);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_RegisterGlobalDefCallbacks(archive, definitions, callbacks, (void*)listener);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    uint64_t count = 0;
    if (code == OTF2_SUCCESS) code = OTF2_Reader_ReadGlobalDefinitions(archive, definitions, most, &count);
    return code == OTF2_SUCCESS && count == most ? OTF2_ERROR_INVALID_DATA : code;
}

static const char* open_reader(struct lw_otf2_reader** made, const char* anchor,
                               const struct lw_otf2_definitions* listener) {
    failure_listen();
    if (!anchor_file_fits(anchor)) return failure_say("it claims more properties than its bytes can contain");
    struct lw_otf2_reader* reader = calloc(1, sizeof *reader);
    if (reader == NULL || (reader->anchor = strdup(anchor)) == NULL) {
        free(reader);
        return failure_say("out of memory");
    }
    OTF2_Reader* archive = OTF2_Reader_Open(anchor);
    if (archive == NULL) {
        close_reader(reader);
        return failure_of(OTF2_ERROR_PROCESSED_WITH_FAULTS);
    }
    if (!definitions_are_whole(archive, anchor)) {
        OTF2_Reader_Close(archive);
        close_reader(reader);
        return failure_say("its file of definitions was cut (it lacks OTF2's mark of the end)");
    }
    OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(archive);
    if (code == OTF2_SUCCESS) code = read_definitions(archive, listener, most_definitions(archive, anchor));
    if (code == OTF2_SUCCESS) code = OTF2_Reader_GetCreator(archive, &reader->creator);
    OTF2_Reader_Close(archive);
    if (code == OTF2_SUCCESS) {
        *made = reader;
        return NULL;
    }
    close_reader(reader);
    return failure_of(code);
}

static const char* creator(struct lw_otf2_reader* reader) {
    return reader->creator == NULL ? "" : reader->creator;
}

static const char* get_property(struct lw_otf2_reader* reader, const char* name) {
    failure_listen();
    OTF2_Reader* archive = OTF2_Reader_Open(reader->anchor);
    if (archive == NULL) return NULL;
    free(reader->property);
    reader->property = NULL;
    if (OTF2_Reader_GetProperty(archive, name, &reader->property) != OTF2_SUCCESS) reader->property = NULL;
    OTF2_Reader_Close(archive);
    return reader->property;
}

/// Only with a location's own definitions, times are those of the whole run, and references those of the
/// whole archive.
static OTF2_ErrorCode select_locations(OTF2_Reader* archive, const uint64_t* locations, size_t count) {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (size_t i = 0; i < count && code == OTF2_SUCCESS; ++i)
        code = OTF2_Reader_SelectLocation(archive, locations[i]);
    if (code != OTF2_SUCCESS) return code;
    const int own_definitions = OTF2_Reader_OpenDefFiles(archive) == OTF2_SUCCESS;
    code = OTF2_Reader_OpenEvtFiles(archive);
    for (size_t i = 0; i < count && code == OTF2_SUCCESS; ++i) {
        if (own_definitions) {
            OTF2_DefReader* own = OTF2_Reader_GetDefReader(archive, locations[i]);
            uint64_t read = 0;
            if (own != NULL) {
                code = OTF2_Reader_ReadAllLocalDefinitions(archive, own, &read);
                if (code == OTF2_SUCCESS) code = OTF2_Reader_CloseDefReader(archive, own);
            }
        }
        if (code == OTF2_SUCCESS && OTF2_Reader_GetEvtReader(archive, locations[i]) == NULL)
            code = OTF2_ERROR_PROCESSED_WITH_FAULTS;
    }
    if (own_definitions) OTF2_Reader_CloseDefFiles(archive);
    return code;
}

static OTF2_ErrorCode read_events(OTF2_Reader* archive, struct reading* reading) {
    OTF2_GlobalEvtReader* events = OTF2_Reader_GetGlobalEvtReader(archive);
    if (events == NULL) return OTF2_ERROR_PROCESSED_WITH_FAULTS;
    OTF2_GlobalEvtReaderCallbacks* callbacks = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_ErrorCode code = callbacks == NULL ? OTF2_ERROR_MEM_ALLOC_FAILED : listen_to_others(callbacks);
    if (code == OTF2_SUCCESS) code = listen_to_events(callbacks);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_RegisterGlobalEvtCallbacks(archive, events, callbacks, reading);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    uint64_t count = 0;
    if (code == OTF2_SUCCESS) code = OTF2_Reader_ReadAllGlobalEvents(archive, events, &count);
    OTF2_Reader_CloseGlobalEvtReader(archive, events);
    return code;
}

static const char* read_archive(struct lw_otf2_reader* reader, const uint64_t* locations, size_t count,
                                const struct lw_otf2_listener* listener) {
    failure_listen();
    // Opened again each time, because the selection of an open archive cannot be undone.
    OTF2_Reader* archive = OTF2_Reader_Open(reader->anchor);
    if (archive == NULL) return failure_of(OTF2_ERROR_PROCESSED_WITH_FAULTS);
    for (size_t i = 0; i < count; ++i) {
        if (event_file_is_whole(archive, reader->anchor, locations[i])) continue;
        OTF2_Reader_Close(archive);
        return failure_say("its file was cut (it lacks OTF2's mark of the end)");
    }
    struct reading reading = {.listener = listener};
    OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(archive);
    if (code == OTF2_SUCCESS) code = select_locations(archive, locations, count);
    if (code == OTF2_SUCCESS) code = read_events(archive, &reading);
    OTF2_Reader_CloseEvtFiles(archive);
    OTF2_Reader_Close(archive);
    free(reading.refs);
    free(reading.values);
    return reading.stopped ? failure_say("stopped") : failure_of(code);
}

void read_functions(struct lw_otf2_interface* interface) {
    interface->open = open_reader;
    interface->creator = creator;
    interface->get_property = get_property;
    interface->read = read_archive;
    interface->close = close_reader;
}
