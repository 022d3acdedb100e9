// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Interface of linkworth's engine to the OTF2 library, in types that are linkworth's own. The library that
/// implements it is compiled against the user's OTF2 headers when it is first needed, so that the engine
/// neither needs OTF2 nor declares its ABI.
#ifndef LINKWORTH_OTF2_H
#define LINKWORTH_OTF2_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of the functions and structures here; the engine refuses another.
#define LW_OTF2_INTERFACE 3

#define LW_OTF2_UNDEFINED UINT32_MAX

/// The kinds of events that linkworth reads and writes; the others are counted by name.
enum lw_otf2_kind {
    LW_OTF2_ENTER,
    LW_OTF2_LEAVE,
    LW_OTF2_PROGRAM_BEGIN,
    LW_OTF2_PROGRAM_END,
    LW_OTF2_SEND,
    LW_OTF2_ISEND,
    LW_OTF2_ISEND_COMPLETE,
    LW_OTF2_RECV,
    LW_OTF2_IRECV_REQUEST,
    LW_OTF2_IRECV,
    LW_OTF2_REQUEST_TEST,
    LW_OTF2_REQUEST_CANCELLED,
    LW_OTF2_COLLECTIVE_BEGIN,
    LW_OTF2_COLLECTIVE_END,
    LW_OTF2_ICOLLECTIVE_REQUEST,
    LW_OTF2_ICOLLECTIVE_COMPLETE,
    LW_OTF2_COMM_CREATE,
    LW_OTF2_COMM_DESTROY
};

/// One event; a kind uses the fields that it has in OTF2.
struct lw_otf2_event {
    uint32_t kind;
    uint32_t region;  ///< of enter and leave; the program's name of program begin
    uint32_t comm;
    uint32_t peer;  ///< receiver, sender or root
    uint32_t tag;
    uint32_t operation;  ///< OTF2_CollectiveOp, whose values are part of the format
    uint64_t time;
    uint64_t bytes;     ///< of a message; sent by a collective
    uint64_t received;  ///< by a collective
    uint64_t request;
    uint32_t attributes;  ///< how many; all of type UINT64
    const uint32_t* attribute_refs;
    const uint64_t* attribute_values;
};

/// OTF2_RegionRole, whose values are part of the format.
enum lw_otf2_role {
    LW_OTF2_ROLE_FUNCTION = 1,
    LW_OTF2_ROLE_BARRIER = 15,
    LW_OTF2_ROLE_ONE_TO_ALL = 23,
    LW_OTF2_ROLE_ALL_TO_ONE = 24,
    LW_OTF2_ROLE_ALL_TO_ALL = 25,
    LW_OTF2_ROLE_COLLECTIVE = 26,
    LW_OTF2_ROLE_FILE = 27,
    LW_OTF2_ROLE_POINT_TO_POINT = 28,
    LW_OTF2_ROLE_RMA = 29
};

enum lw_otf2_group {
    LW_OTF2_GROUP_LOCATIONS,  ///< the locations that are MPI ranks, in the order of the ranks
    LW_OTF2_GROUP_RANKS,
    LW_OTF2_GROUP_SELF,
    LW_OTF2_GROUP_OTHER
};

struct lw_otf2_region {
    uint32_t ref;
    const char* name;
    int mpi;
    uint32_t role;
};

struct lw_otf2_comm {
    uint32_t ref;
    const char* name;
    uint32_t group;
    uint32_t remote_group;  ///< LW_OTF2_UNDEFINED unless it is an inter-communicator
    uint32_t parent;
    int has_events;  ///< its creation and end are among the events
};

/// A thread of a process. `group` is the process.
struct lw_otf2_location {
    uint64_t ref;
    const char* name;
    uint32_t group;
    uint64_t events;
};

/// Callbacks of a reader for the definitions, in their order. The caller keeps the texts: `text` returns that
/// of a reference, "" for an unknown one.
struct lw_otf2_definitions {
    void* user;
    void (*string)(void* user, uint32_t ref, const char* text);
    const char* (*text)(void* user, uint32_t ref);
    void (*host)(void* user, uint32_t ref, const char* name);
    void (*clock)(void* user, uint64_t ticks_per_second, uint64_t offset, uint64_t length, uint64_t date);
    void (*attribute)(void* user, uint32_t ref, const char* name);
    void (*region)(void* user, const struct lw_otf2_region* region);
    void (*process)(void* user, uint32_t ref, uint32_t host);
    void (*location)(void* user, const struct lw_otf2_location* location);
    void (*group)(void* user, uint32_t ref, uint32_t kind, uint32_t size, const uint64_t* members);
    void (*comm)(void* user, const struct lw_otf2_comm* comm);
};

/// Callbacks of a reader for the events. Returning other than 0 stops it.
struct lw_otf2_listener {
    void* user;
    int (*event)(void* user, uint64_t location, const struct lw_otf2_event* event);
    int (*other)(void* user, uint64_t location, const char* kind);
};

struct lw_otf2_writer;
struct lw_otf2_reader;

/// All functions that return a text return NULL on success, else the error, which lives until the next call.
struct lw_otf2_interface {
    uint32_t version;

    /// Makes the archive `folder`/`name`.otf2. It keeps `chunk_bytes` in memory for each open location.
    const char* (*create)(struct lw_otf2_writer** writer, const char* folder, const char* name,
                          uint64_t chunk_bytes, const char* creator, const char* description);
    const char* (*property)(struct lw_otf2_writer* writer, const char* name, const char* value);
    /// Selects the location of the following events, and opens it if necessary. Several may be open.
    const char* (*select_location)(struct lw_otf2_writer* writer, uint64_t location);
    const char* (*write)(struct lw_otf2_writer* writer, const struct lw_otf2_event* event);
    /// Closes the selected location, to which nothing can be added then. Another has to be selected.
    const char* (*end_location)(struct lw_otf2_writer* writer, uint64_t* events);

    /// The definitions; each returns as above.
    const char* (*clock)(struct lw_otf2_writer* writer, uint64_t ticks_per_second, uint64_t length,
                         uint64_t date);
    const char* (*program)(struct lw_otf2_writer* writer, uint32_t ref, const char* name);
    const char* (*attribute)(struct lw_otf2_writer* writer, uint32_t ref, const char* name,
                             const char* description);
    const char* (*region)(struct lw_otf2_writer* writer, const struct lw_otf2_region* region);
    const char* (*host)(struct lw_otf2_writer* writer, uint32_t ref, const char* name);
    const char* (*process)(struct lw_otf2_writer* writer, uint32_t ref, const char* name, uint32_t host);
    const char* (*location)(struct lw_otf2_writer* writer, const struct lw_otf2_location* location);
    const char* (*group)(struct lw_otf2_writer* writer, uint32_t ref, uint32_t kind, uint32_t size,
                         const uint64_t* members);
    const char* (*comm)(struct lw_otf2_writer* writer, const struct lw_otf2_comm* comm);
    /// Also frees the writer, whatever it returns.
    const char* (*finish)(struct lw_otf2_writer* writer);

    /// Opens an archive by its anchor file and reads its definitions.
    const char* (*open)(struct lw_otf2_reader** reader, const char* anchor,
                        const struct lw_otf2_definitions* definitions);
    const char* (*creator)(struct lw_otf2_reader* reader);
    /// Returns NULL if the archive has no such property.
    const char* (*get_property)(struct lw_otf2_reader* reader, const char* name);
    /// Reads the events of some locations in the order of their times.
    const char* (*read)(struct lw_otf2_reader* reader, const uint64_t* locations, size_t count,
                        const struct lw_otf2_listener* listener);
    void (*close)(struct lw_otf2_reader* reader);
};

/// Returns the functions of the library; its only export.
const struct lw_otf2_interface* linkworth_otf2(void);

#ifdef __cplusplus
}
#endif
#endif
