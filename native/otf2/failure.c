// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "failure.h"

#include <stdio.h>

static char said[512];
static char detail[384];

static OTF2_ErrorCode remember(void* user, const char* file, uint64_t line, const char* function,
                               OTF2_ErrorCode code, const char* format, va_list arguments) {
    (void)user;
    (void)file;
    (void)line;
    (void)function;
    // The first of a chain of errors is the cause; warnings are OTF2's own affair.
    if (code > OTF2_SUCCESS && detail[0] == '\0' && format != NULL)
        vsnprintf(detail, sizeof detail, format, arguments);
    return code;
}

void failure_listen(void) {
    detail[0] = '\0';
    OTF2_Error_RegisterCallback(remember, NULL);
}

const char* failure_say(const char* what) {
    snprintf(said, sizeof said, "%s", what);
    detail[0] = '\0';
    return said;
}

const char* failure_of(OTF2_ErrorCode code) {
    if (code == OTF2_SUCCESS) return NULL;
    if (detail[0] != '\0')
        snprintf(said, sizeof said, "OTF2 says: %s (%s)", OTF2_Error_GetDescription(code), detail);
    else
        snprintf(said, sizeof said, "OTF2 says: %s", OTF2_Error_GetDescription(code));
    detail[0] = '\0';
    return said;
}
