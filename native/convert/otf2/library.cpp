// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/library.hpp"

#include <dlfcn.h>

#include "convert/convert_error.hpp"

namespace linkworth::convert {

const lw_otf2_interface& otf2_library(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw ConvertError(std::string("OTF2 cannot be loaded: ") + dlerror());
    using Get = const lw_otf2_interface* (*)();
    const auto get = reinterpret_cast<Get>(dlsym(library, "linkworth_otf2"));
    const lw_otf2_interface* found = get == nullptr ? nullptr : get();
    if (found == nullptr || found->version != LW_OTF2_INTERFACE)
        throw ConvertError(path +
                           " was built by another version of linkworth; delete it to have it built again");
    return *found;
}

void otf2_check(const char* said, const char* doing) {
    if (said != nullptr) throw ConvertError(std::string(doing) + ": " + said);
}

}  // namespace linkworth::convert
