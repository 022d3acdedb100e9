// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "write.h"

#include <otf2/otf2.h>
#include <stdlib.h>

#include "failure.h"

struct lw_otf2_writer {
    OTF2_Archive* archive;
    OTF2_EvtWriter* events;
    OTF2_GlobalDefWriter* definitions;
    OTF2_AttributeList* attributes;
    uint64_t location;
    uint32_t next_string;
    uint32_t empty;  ///< the string ""
};

static OTF2_FlushType before_flush(void* user, OTF2_FileType type, OTF2_LocationRef location, void* caller,
                                   bool final) {
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

// No time after a flush, so that OTF2 writes no record of it into the trace.
static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush, .otf2_post_flush = NULL};

// ---- memory ----

// By default OTF2 buffers some 100 MB of each location (8 million sends: 158 MB in all with one location, 271
// MB with four; OTF2 3.0.2, 2026-11-22). Here it is a chunk of the events of each.

/// A chunk of a writer's memory, linked to the one before.
struct chunk {
    struct chunk* before;
    void* bytes;
};

static void* allocate(void* user, OTF2_FileType type, OTF2_LocationRef location, void** of_writer,
                      uint64_t size) {
    (void)user, (void)location;
    struct chunk* latest = *of_writer;
    // Without memory for the next chunk of events, OTF2 writes what it has. Definitions must stay in memory.
    if (type == OTF2_FILETYPE_EVENTS && latest != NULL) return NULL;
    struct chunk* made = malloc(sizeof *made);
    if (made == NULL) return NULL;
    made->bytes = malloc(size);
    if (made->bytes == NULL) {
        free(made);
        return NULL;
    }
    made->before = latest;
    *of_writer = made;
    return made->bytes;
}

static void free_all(void* user, OTF2_FileType type, OTF2_LocationRef location, void** of_writer,
                     bool final) {
    (void)user, (void)type, (void)location, (void) final;
    struct chunk* each = *of_writer;
    while (each != NULL) {
        struct chunk* before = each->before;
        free(each->bytes);
        free(each);
        each = before;
    }
    *of_writer = NULL;
}

static const OTF2_MemoryCallbacks memory = {.otf2_allocate = allocate, .otf2_free_all = free_all};

// ---- the archive ----

static void dispose(struct lw_otf2_writer* writer) {
    OTF2_AttributeList_Delete(writer->attributes);
    free(writer);
}

static const char* create(struct lw_otf2_writer** made, const char* folder, const char* name,
                          uint64_t chunk_bytes, const char* creator, const char* description) {
    failure_listen();
    struct lw_otf2_writer* writer = calloc(1, sizeof *writer);
    if (writer == NULL) return failure_say("out of memory");
    writer->attributes = OTF2_AttributeList_New();
    writer->archive =
        OTF2_Archive_Open(folder, name, OTF2_FILEMODE_WRITE, chunk_bytes, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (writer->attributes == NULL || writer->archive == NULL) {
        dispose(writer);
        return failure_of(OTF2_ERROR_PROCESSED_WITH_FAULTS);
    }
    OTF2_ErrorCode code = OTF2_Archive_SetFlushCallbacks(writer->archive, &flush, NULL);
    if (code == OTF2_SUCCESS) code = OTF2_Archive_SetMemoryCallbacks(writer->archive, &memory, NULL);
    if (code == OTF2_SUCCESS) code = OTF2_Archive_SetSerialCollectiveCallbacks(writer->archive);
    if (code == OTF2_SUCCESS) code = OTF2_Archive_SetCreator(writer->archive, creator);
    if (code == OTF2_SUCCESS) code = OTF2_Archive_SetDescription(writer->archive, description);
    if (code == OTF2_SUCCESS) code = OTF2_Archive_OpenEvtFiles(writer->archive);
    if (code == OTF2_SUCCESS) code = OTF2_Archive_OpenDefFiles(writer->archive);
    if (code == OTF2_SUCCESS) {
        writer->definitions = OTF2_Archive_GetGlobalDefWriter(writer->archive);
        if (writer->definitions == NULL) code = OTF2_ERROR_PROCESSED_WITH_FAULTS;
    }
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteString(writer->definitions, writer->next_string++, "");
    if (code != OTF2_SUCCESS) {
        OTF2_Archive_Close(writer->archive);
        dispose(writer);
        return failure_of(code);
    }
    *made = writer;
    return NULL;
}

static const char* property(struct lw_otf2_writer* writer, const char* name, const char* value) {
    return failure_of(OTF2_Archive_SetProperty(writer->archive, name, value, true));
}

// ---- events ----

// The archive keeps the writers of the open locations and gives the same one again.
static const char* select_location(struct lw_otf2_writer* writer, uint64_t location) {
    writer->location = location;
    writer->events = OTF2_Archive_GetEvtWriter(writer->archive, location);
    return writer->events == NULL ? failure_of(OTF2_ERROR_PROCESSED_WITH_FAULTS) : NULL;
}

static OTF2_ErrorCode put(struct lw_otf2_writer* writer, const struct lw_otf2_event* event) {
    OTF2_EvtWriter* to = writer->events;
    OTF2_AttributeList* list = NULL;
    if (event->attributes > 0) {
        list = writer->attributes;
        for (uint32_t i = 0; i < event->attributes; ++i) {
            const OTF2_ErrorCode code =
                OTF2_AttributeList_AddUint64(list, event->attribute_refs[i], event->attribute_values[i]);
            if (code != OTF2_SUCCESS) return code;
        }
    }
    const uint64_t time = event->time;
    switch (event->kind) {
        case LW_OTF2_ENTER: return OTF2_EvtWriter_Enter(to, list, time, event->region);
        case LW_OTF2_LEAVE: return OTF2_EvtWriter_Leave(to, list, time, event->region);
        case LW_OTF2_PROGRAM_BEGIN:
            return OTF2_EvtWriter_ProgramBegin(to, list, time, event->region, 0, NULL);
        case LW_OTF2_PROGRAM_END: return OTF2_EvtWriter_ProgramEnd(to, list, time, OTF2_UNDEFINED_INT64);
        case LW_OTF2_SEND:
            return OTF2_EvtWriter_MpiSend(to, list, time, event->peer, event->comm, event->tag, event->bytes);
        case LW_OTF2_ISEND:
            return OTF2_EvtWriter_MpiIsend(to, list, time, event->peer, event->comm, event->tag, event->bytes,
                                           event->request);
        case LW_OTF2_ISEND_COMPLETE: return OTF2_EvtWriter_MpiIsendComplete(to, list, time, event->request);
        case LW_OTF2_RECV:
            return OTF2_EvtWriter_MpiRecv(to, list, time, event->peer, event->comm, event->tag, event->bytes);
        case LW_OTF2_IRECV_REQUEST: return OTF2_EvtWriter_MpiIrecvRequest(to, list, time, event->request);
        case LW_OTF2_IRECV:
            return OTF2_EvtWriter_MpiIrecv(to, list, time, event->peer, event->comm, event->tag, event->bytes,
                                           event->request);
        case LW_OTF2_REQUEST_TEST: return OTF2_EvtWriter_MpiRequestTest(to, list, time, event->request);
        case LW_OTF2_REQUEST_CANCELLED:
            return OTF2_EvtWriter_MpiRequestCancelled(to, list, time, event->request);
        case LW_OTF2_COLLECTIVE_BEGIN: return OTF2_EvtWriter_MpiCollectiveBegin(to, list, time);
        case LW_OTF2_COLLECTIVE_END:
            return OTF2_EvtWriter_MpiCollectiveEnd(to, list, time, (OTF2_CollectiveOp)event->operation,
                                                   event->comm, event->peer, event->bytes, event->received);
        case LW_OTF2_ICOLLECTIVE_REQUEST:
            return OTF2_EvtWriter_NonBlockingCollectiveRequest(to, list, time, event->request);
        case LW_OTF2_ICOLLECTIVE_COMPLETE:
            return OTF2_EvtWriter_NonBlockingCollectiveComplete(
                to, list, time, (OTF2_CollectiveOp)event->operation, event->comm, event->peer, event->bytes,
                event->received, event->request);
        case LW_OTF2_COMM_CREATE: return OTF2_EvtWriter_CommCreate(to, list, time, event->comm);
        case LW_OTF2_COMM_DESTROY: return OTF2_EvtWriter_CommDestroy(to, list, time, event->comm);
        default: return OTF2_ERROR_INVALID_ARGUMENT;
    }
}

static const char* write_event(struct lw_otf2_writer* writer, const struct lw_otf2_event* event) {
    const OTF2_ErrorCode code = put(writer, event);
    return code == OTF2_SUCCESS ? NULL : failure_of(code);
}

static const char* end_location(struct lw_otf2_writer* writer, uint64_t* events) {
    OTF2_ErrorCode code = OTF2_EvtWriter_GetNumberOfEvents(writer->events, events);
    if (code != OTF2_SUCCESS) return failure_of(code);
    code = OTF2_Archive_CloseEvtWriter(writer->archive, writer->events);
    writer->events = NULL;
    if (code != OTF2_SUCCESS) return failure_of(code);
    // A location needs a file of definitions, though it has none of its own.
    OTF2_DefWriter* own = OTF2_Archive_GetDefWriter(writer->archive, writer->location);
    return failure_of(own == NULL ? OTF2_ERROR_PROCESSED_WITH_FAULTS
                                  : OTF2_Archive_CloseDefWriter(writer->archive, own));
}

// ---- definitions ----

static OTF2_ErrorCode string(struct lw_otf2_writer* writer, const char* text, uint32_t* ref) {
    if (text[0] == '\0') {
        *ref = writer->empty;
        return OTF2_SUCCESS;
    }
    *ref = writer->next_string++;
    return OTF2_GlobalDefWriter_WriteString(writer->definitions, *ref, text);
}

static const char* clock_definition(struct lw_otf2_writer* writer, uint64_t ticks_per_second, uint64_t length,
                                    uint64_t date) {
    uint32_t name;
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteClockProperties(
        writer->definitions, ticks_per_second, 0, length, date == 0 ? OTF2_UNDEFINED_TIMESTAMP : date);
    if (code == OTF2_SUCCESS) code = string(writer, "MPI", &name);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteParadigm(writer->definitions, OTF2_PARADIGM_MPI, name,
                                                  OTF2_PARADIGM_CLASS_PROCESS);
    return failure_of(code);
}

// Program begin names a string, so that its number must be known before it is written.
static const char* program(struct lw_otf2_writer* writer, uint32_t ref, const char* name) {
    if (ref >= writer->next_string) writer->next_string = ref + 1;
    return failure_of(OTF2_GlobalDefWriter_WriteString(writer->definitions, ref, name));
}

static const char* attribute(struct lw_otf2_writer* writer, uint32_t ref, const char* name,
                             const char* description) {
    uint32_t name_ref, description_ref;
    OTF2_ErrorCode code = string(writer, name, &name_ref);
    if (code == OTF2_SUCCESS) code = string(writer, description, &description_ref);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteAttribute(writer->definitions, ref, name_ref, description_ref,
                                                   OTF2_TYPE_UINT64);
    return failure_of(code);
}

static const char* region(struct lw_otf2_writer* writer, const struct lw_otf2_region* given) {
    uint32_t name;
    OTF2_ErrorCode code = string(writer, given->name, &name);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteRegion(
            writer->definitions, given->ref, name, name, writer->empty, (OTF2_RegionRole)given->role,
            given->mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING,
            OTF2_UNDEFINED_UINT32, OTF2_UNDEFINED_UINT32);
    return failure_of(code);
}

static const char* host(struct lw_otf2_writer* writer, uint32_t ref, const char* name) {
    uint32_t name_ref, class_ref;
    OTF2_ErrorCode code = string(writer, name, &name_ref);
    if (code == OTF2_SUCCESS) code = string(writer, ref == 0 ? "machine" : "node", &class_ref);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteSystemTreeNode(writer->definitions, ref, name_ref, class_ref,
                                                        ref == 0 ? OTF2_UNDEFINED_SYSTEM_TREE_NODE : 0);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
            writer->definitions, ref,
            ref == 0 ? OTF2_SYSTEM_TREE_DOMAIN_MACHINE : OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    return failure_of(code);
}

static const char* process(struct lw_otf2_writer* writer, uint32_t ref, const char* name, uint32_t host_ref) {
    uint32_t name_ref;
    OTF2_ErrorCode code = string(writer, name, &name_ref);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteLocationGroup(writer->definitions, ref, name_ref,
                                                       OTF2_LOCATION_GROUP_TYPE_PROCESS, host_ref,
                                                       OTF2_UNDEFINED_LOCATION_GROUP);
    return failure_of(code);
}

static const char* location(struct lw_otf2_writer* writer, const struct lw_otf2_location* given) {
    uint32_t name;
    OTF2_ErrorCode code = string(writer, given->name, &name);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteLocation(writer->definitions, given->ref, name,
                                                  OTF2_LOCATION_TYPE_CPU_THREAD, given->events, given->group);
    return failure_of(code);
}

static const char* group(struct lw_otf2_writer* writer, uint32_t ref, uint32_t kind, uint32_t size,
                         const uint64_t* members) {
    const OTF2_GroupType type = kind == LW_OTF2_GROUP_LOCATIONS ? OTF2_GROUP_TYPE_COMM_LOCATIONS
                                : kind == LW_OTF2_GROUP_SELF    ? OTF2_GROUP_TYPE_COMM_SELF
                                                                : OTF2_GROUP_TYPE_COMM_GROUP;
    return failure_of(OTF2_GlobalDefWriter_WriteGroup(writer->definitions, ref, writer->empty, type,
                                                      OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, size,
                                                      members));
}

static const char* comm(struct lw_otf2_writer* writer, const struct lw_otf2_comm* given) {
    uint32_t name;
    OTF2_ErrorCode code = string(writer, given->name, &name);
    const OTF2_CommFlag flags =
        given->has_events ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
    if (code != OTF2_SUCCESS) return failure_of(code);
    if (given->remote_group == LW_OTF2_UNDEFINED)
        code = OTF2_GlobalDefWriter_WriteComm(writer->definitions, given->ref, name, given->group,
                                              given->parent, flags);
    else
        code = OTF2_GlobalDefWriter_WriteInterComm(writer->definitions, given->ref, name, given->group,
                                                   given->remote_group, given->parent, flags);
    return failure_of(code);
}

static const char* finish(struct lw_otf2_writer* writer) {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    OTF2_ErrorCode next;
    if (writer->events != NULL) code = OTF2_Archive_CloseEvtWriter(writer->archive, writer->events);
    next = OTF2_Archive_CloseEvtFiles(writer->archive);
    if (code == OTF2_SUCCESS) code = next;
    next = OTF2_Archive_CloseDefFiles(writer->archive);
    if (code == OTF2_SUCCESS) code = next;
    next = OTF2_Archive_CloseGlobalDefWriter(writer->archive, writer->definitions);
    if (code == OTF2_SUCCESS) code = next;
    next = OTF2_Archive_Close(writer->archive);
    if (code == OTF2_SUCCESS) code = next;
    dispose(writer);
    return failure_of(code);
}

void write_functions(struct lw_otf2_interface* interface) {
    interface->create = create;
    interface->property = property;
    interface->select_location = select_location;
    interface->write = write_event;
    interface->end_location = end_location;
    interface->clock = clock_definition;
    interface->program = program;
    interface->attribute = attribute;
    interface->region = region;
    interface->host = host;
    interface->process = process;
    interface->location = location;
    interface->group = group;
    interface->comm = comm;
    interface->finish = finish;
}
