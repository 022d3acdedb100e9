// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Events that linkworth knows, passed on in its own structure.
#include <stdlib.h>

#include "read.h"

static void take_attributes(struct reading* reading, const OTF2_AttributeList* list,
                            struct lw_otf2_event* event) {
    const uint32_t count = OTF2_AttributeList_GetNumberOfElements(list);
    if (count > reading->room) {
        uint32_t* refs = realloc(reading->refs, count * sizeof *refs);
        if (refs != NULL) reading->refs = refs;
        uint64_t* values = realloc(reading->values, count * sizeof *values);
        if (values != NULL) reading->values = values;
        if (refs == NULL || values == NULL) return;
        reading->room = count;
    }
    for (uint32_t i = 0; i < count; ++i) {
        OTF2_AttributeRef ref;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(list, i, &ref, &type, &value) != OTF2_SUCCESS) continue;
        if (type != OTF2_TYPE_UINT64) continue;
        reading->refs[event->attributes] = ref;
        reading->values[event->attributes++] = value.uint64;
    }
    event->attribute_refs = reading->refs;
    event->attribute_values = reading->values;
}

static OTF2_CallbackCode tell(void* user, OTF2_LocationRef location, const OTF2_AttributeList* list,
                              struct lw_otf2_event event) {
    struct reading* reading = user;
    if (list != NULL && event.kind == LW_OTF2_ENTER) take_attributes(reading, list, &event);
    if (reading->listener->event(reading->listener->user, location, &event) == 0)
        return OTF2_CALLBACK_SUCCESS;
    reading->stopped = 1;
    return OTF2_CALLBACK_INTERRUPT;
}

#define GIVEN OTF2_LocationRef location, OTF2_TimeStamp when, void *user, OTF2_AttributeList *list
#define TELL(kind_, ...) \
    return tell(user, location, list, (struct lw_otf2_event){.kind = kind_, .time = when, __VA_ARGS__})

static OTF2_CallbackCode enter(GIVEN, OTF2_RegionRef region) { TELL(LW_OTF2_ENTER, .region = region); }
static OTF2_CallbackCode leave(GIVEN, OTF2_RegionRef region) { TELL(LW_OTF2_LEAVE, .region = region); }
static OTF2_CallbackCode program_begin(GIVEN, OTF2_StringRef name, uint32_t count,
                                       const OTF2_StringRef* arguments) {
    (void)count, (void)arguments;
    TELL(LW_OTF2_PROGRAM_BEGIN, .region = name);
}
static OTF2_CallbackCode program_end(GIVEN, int64_t status) {
    (void)status;
    TELL(LW_OTF2_PROGRAM_END, .region = 0);
}
static OTF2_CallbackCode sent(GIVEN, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t length) {
    TELL(LW_OTF2_SEND, .peer = receiver, .comm = comm, .tag = tag, .bytes = length);
}
static OTF2_CallbackCode isend(GIVEN, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t length,
                               uint64_t request) {
    TELL(LW_OTF2_ISEND, .peer = receiver, .comm = comm, .tag = tag, .bytes = length, .request = request);
}
static OTF2_CallbackCode isend_complete(GIVEN, uint64_t request) {
    TELL(LW_OTF2_ISEND_COMPLETE, .request = request);
}
static OTF2_CallbackCode received(GIVEN, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t length) {
    TELL(LW_OTF2_RECV, .peer = sender, .comm = comm, .tag = tag, .bytes = length);
}
static OTF2_CallbackCode irecv_request(GIVEN, uint64_t request) {
    TELL(LW_OTF2_IRECV_REQUEST, .request = request);
}
static OTF2_CallbackCode irecv(GIVEN, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t length,
                               uint64_t request) {
    TELL(LW_OTF2_IRECV, .peer = sender, .comm = comm, .tag = tag, .bytes = length, .request = request);
}
static OTF2_CallbackCode request_test(GIVEN, uint64_t request) {
    TELL(LW_OTF2_REQUEST_TEST, .request = request);
}
static OTF2_CallbackCode request_cancelled(GIVEN, uint64_t request) {
    TELL(LW_OTF2_REQUEST_CANCELLED, .request = request);
}
static OTF2_CallbackCode collective_begin(GIVEN) { TELL(LW_OTF2_COLLECTIVE_BEGIN, .region = 0); }
static OTF2_CallbackCode collective_end(GIVEN, OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root,
                                        uint64_t bytes_sent, uint64_t bytes_received) {
    TELL(LW_OTF2_COLLECTIVE_END, .operation = operation, .comm = comm, .peer = root, .bytes = bytes_sent,
         .received = bytes_received);
}
static OTF2_CallbackCode icollective_request(GIVEN, uint64_t request) {
    TELL(LW_OTF2_ICOLLECTIVE_REQUEST, .request = request);
}
static OTF2_CallbackCode icollective_complete(GIVEN, OTF2_CollectiveOp operation, OTF2_CommRef comm,
                                              uint32_t root, uint64_t bytes_sent, uint64_t bytes_received,
                                              uint64_t request) {
    TELL(LW_OTF2_ICOLLECTIVE_COMPLETE, .operation = operation, .comm = comm, .peer = root,
         .bytes = bytes_sent, .received = bytes_received, .request = request);
}
static OTF2_CallbackCode comm_create(GIVEN, OTF2_CommRef comm) { TELL(LW_OTF2_COMM_CREATE, .comm = comm); }
static OTF2_CallbackCode comm_destroy(GIVEN, OTF2_CommRef comm) { TELL(LW_OTF2_COMM_DESTROY, .comm = comm); }

#define LISTEN(kind, function)                                                                       \
    do {                                                                                             \
        const OTF2_ErrorCode code = OTF2_GlobalEvtReaderCallbacks_Set##kind##Callback(to, function); \
        if (code != OTF2_SUCCESS) return code;                                                       \
    } while (0)

OTF2_ErrorCode listen_to_events(OTF2_GlobalEvtReaderCallbacks* to) {
    LISTEN(Enter, enter);
    LISTEN(Leave, leave);
    LISTEN(ProgramBegin, program_begin);
    LISTEN(ProgramEnd, program_end);
    LISTEN(MpiSend, sent);
    LISTEN(MpiIsend, isend);
    LISTEN(MpiIsendComplete, isend_complete);
    LISTEN(MpiRecv, received);
    LISTEN(MpiIrecvRequest, irecv_request);
    LISTEN(MpiIrecv, irecv);
    LISTEN(MpiRequestTest, request_test);
    LISTEN(MpiRequestCancelled, request_cancelled);
    LISTEN(MpiCollectiveBegin, collective_begin);
    LISTEN(MpiCollectiveEnd, collective_end);
    LISTEN(NonBlockingCollectiveRequest, icollective_request);
    LISTEN(NonBlockingCollectiveComplete, icollective_complete);
    LISTEN(CommCreate, comm_create);
    LISTEN(CommDestroy, comm_destroy);
    return OTF2_SUCCESS;
}
