// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Preload library that turns the TCP sockets of a program into MPTCP ones (RFC 8684), as mptcpize does. If
/// the kernel refuses one, the program gets the TCP socket that it requested.
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

typedef int open_socket(int domain, int type, int protocol);

int socket(int domain, int type, int protocol) {
    static open_socket* real;
    // A cast between pointers to objects and to functions is not of ISO C, but of POSIX (dlsym).
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "socket");
    int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    bool internet = domain == AF_INET || domain == AF_INET6;
    if (internet && kind == SOCK_STREAM && (protocol == 0 || protocol == IPPROTO_TCP)) {
        int fd = real(domain, type, IPPROTO_MPTCP);
        if (fd >= 0) return fd;
    }
    return real(domain, type, protocol);
}
