// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

_Static_assert(sizeof(struct virtio_net_hdr) == VNET_HEADER, "the header before frames of a TAP device");

static bool failed(const struct port* port, const char* what) {
    fprintf(stderr, "lw-switch: port %s: %s: %s\n", port->name, what, strerror(errno));
    return false;
}

static int device_in(const struct port* port, int own_namespace) {
    int there = open(port->namespace_path, O_RDONLY | O_CLOEXEC);
    if (there < 0) return -1;
    int fd = -1;
    if (setns(there, CLONE_NEWNET) == 0) {
        fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
        int reason = errno;
        if (setns(own_namespace, CLONE_NEWNET) != 0 && fd >= 0) {
            reason = errno;
            close(fd);
            fd = -1;
        }
        errno = reason;
    }
    int reason = errno;
    close(there);
    errno = reason;
    return fd;
}

static bool make_device(struct port* port) {
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI | (port->offload ? IFF_VNET_HDR : 0)};
    memcpy(request.ifr_name, port->device, strlen(port->device));
    if (ioctl(port->fd, TUNSETIFF, &request) != 0) return failed(port, "cannot make the TAP device");
    if (port->offload) {
        if (ioctl(port->fd, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN) != 0)
            return failed(port, "cannot switch on segmentation offload");
        port->vnet_header = true;
    }
    return true;
}

bool tap_open(struct port* port, int own_namespace) {
    if (port->given_fd >= 0) {
        port->fd = port->given_fd;
        int flags = fcntl(port->fd, F_GETFL);
        if (flags < 0 || fcntl(port->fd, F_SETFL, flags | O_NONBLOCK) != 0)
            return failed(port, "cannot use the descriptor given");
        struct ifreq request = {0};
        // Anything that keeps frames apart will do, for example a packet socket; only TAP devices answer
        // this.
        port->vnet_header = ioctl(port->fd, TUNGETIFF, &request) == 0 &&
                            ((unsigned short)request.ifr_flags & IFF_VNET_HDR) != 0;
        return true;
    }
    port->fd = device_in(port, own_namespace);
    if (port->fd < 0 && errno == EACCES)
        return failed(port,
                      "only root may open /dev/net/tun here: run as root, or let others open it (chmod a+rw "
                      "/dev/net/tun)");
    if (port->fd < 0) return failed(port, "cannot open /dev/net/tun in its namespace");
    return make_device(port);
}

uint32_t tap_wire_bytes(const struct port* port, const unsigned char* bytes, uint32_t length,
                        uint32_t* segments) {
    uint32_t frame = length;
    *segments = 1;
    if (port->vnet_header && length > VNET_HEADER) {
        struct virtio_net_hdr header;
        memcpy(&header, bytes, sizeof header);
        frame = length - VNET_HEADER;
        if (header.gso_type != VIRTIO_NET_HDR_GSO_NONE && header.gso_size > 0 && header.hdr_len < frame) {
            uint32_t payload = frame - header.hdr_len;
            *segments = (payload + header.gso_size - 1) / header.gso_size;
            return payload + *segments * (header.hdr_len + (uint32_t)WIRE_OVERHEAD);
        }
    }
    return (frame < SMALLEST_FRAME ? (uint32_t)SMALLEST_FRAME : frame) + (uint32_t)WIRE_OVERHEAD;
}
