// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Definitions that linkworth knows, passed on with texts instead of references.
#include "read.h"

#define SAY(function, ...)                                 \
    do {                                                   \
        const struct lw_otf2_definitions* listener = user; \
        listener->function(listener->user, __VA_ARGS__);   \
        return OTF2_CALLBACK_SUCCESS;                      \
    } while (0)

static const char* text(void* user, OTF2_StringRef ref) {
    const struct lw_otf2_definitions* listener = user;
    return listener->text(listener->user, ref);
}

static OTF2_CallbackCode clock_properties(void* user, uint64_t resolution, uint64_t offset, uint64_t length,
                                          uint64_t date) {
    SAY(clock, resolution, offset, length, date == OTF2_UNDEFINED_TIMESTAMP ? 0 : date);
}
static OTF2_CallbackCode string(void* user, OTF2_StringRef self, const char* value) {
    SAY(string, self, value);
}
static OTF2_CallbackCode attribute(void* user, OTF2_AttributeRef self, OTF2_StringRef name,
                                   OTF2_StringRef description, OTF2_Type type) {
    (void)description, (void)type;
    SAY(attribute, self, text(user, name));
}
static OTF2_CallbackCode node(void* user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                              OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent) {
    (void)class_name, (void)parent;
    SAY(host, self, text(user, name));
}
static OTF2_CallbackCode location_group(void* user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                        OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                        OTF2_LocationGroupRef creator) {
    (void)name, (void)creator;
    if (type != OTF2_LOCATION_GROUP_TYPE_PROCESS) return OTF2_CALLBACK_SUCCESS;
    SAY(process, self, parent);
}
static OTF2_CallbackCode location(void* user, OTF2_LocationRef self, OTF2_StringRef name,
                                  OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group) {
    if (type != OTF2_LOCATION_TYPE_CPU_THREAD) return OTF2_CALLBACK_SUCCESS;
    const struct lw_otf2_location told = {self, text(user, name), group, events};
    SAY(location, &told);
}
static OTF2_CallbackCode region(void* user, OTF2_RegionRef self, OTF2_StringRef name,
                                OTF2_StringRef canonical, OTF2_StringRef description, OTF2_RegionRole role,
                                OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file,
                                uint32_t begin, uint32_t end) {
    (void)canonical, (void)description, (void)role, (void)flags, (void)file, (void)begin, (void)end;
    const struct lw_otf2_region told = {self, text(user, name), paradigm == OTF2_PARADIGM_MPI,
                                        LW_OTF2_ROLE_FUNCTION};
    SAY(region, &told);
}
static OTF2_CallbackCode group(void* user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                               OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t size,
                               const uint64_t* members) {
    (void)name, (void)flags;
    uint32_t kind = LW_OTF2_GROUP_OTHER;
    if (paradigm == OTF2_PARADIGM_MPI && type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
        kind = LW_OTF2_GROUP_LOCATIONS;
    if (paradigm == OTF2_PARADIGM_MPI && type == OTF2_GROUP_TYPE_COMM_GROUP) kind = LW_OTF2_GROUP_RANKS;
    if (paradigm == OTF2_PARADIGM_MPI && type == OTF2_GROUP_TYPE_COMM_SELF) kind = LW_OTF2_GROUP_SELF;
    SAY(group, self, kind, size, members);
}
static OTF2_CallbackCode comm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef members,
                              OTF2_CommRef parent, OTF2_CommFlag flags) {
    const struct lw_otf2_comm told = {self,    text(user, name),
                                      members, LW_OTF2_UNDEFINED,
                                      parent,  (flags & OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS) != 0};
    SAY(comm, &told);
}
static OTF2_CallbackCode inter_comm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group_a,
                                    OTF2_GroupRef group_b, OTF2_CommRef common, OTF2_CommFlag flags) {
    const struct lw_otf2_comm told = {self,    text(user, name),
                                      group_a, group_b,
                                      common,  (flags & OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS) != 0};
    SAY(comm, &told);
}

#define LISTEN(kind, function)                                                                       \
    do {                                                                                             \
        const OTF2_ErrorCode code = OTF2_GlobalDefReaderCallbacks_Set##kind##Callback(to, function); \
        if (code != OTF2_SUCCESS) return code;                                                       \
    } while (0)

OTF2_ErrorCode listen_to_definitions(OTF2_GlobalDefReaderCallbacks* to) {
    LISTEN(ClockProperties, clock_properties);
    LISTEN(String, string);
    LISTEN(Attribute, attribute);
    LISTEN(SystemTreeNode, node);
    LISTEN(LocationGroup, location_group);
    LISTEN(Location, location);
    LISTEN(Region, region);
    LISTEN(Group, group);
    LISTEN(Comm, comm);
    LISTEN(InterComm, inter_comm);
    return OTF2_SUCCESS;
}
