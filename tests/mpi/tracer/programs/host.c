// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Not linked with MPI: opens a plug-in that is, out of the global scope.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    void* plugin = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*run)(void) = (int (*)(void))dlsym(plugin, "run_plugin");
    return run ? run() : 1;
}
