"""A virtual machine that boots Debian's kernel on this machine's own files, read-only, to try what this kernel lacks."""

import lzma
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

MODULES = ["virtio_pci", "9pnet_virtio", "9p", "overlay"]
"""Modules that the kernel needs to see this machine's files. It loads all others from there."""

INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mkdir -p /proc /lower /rw /new
$b mount -t proc proc /proc
for module in {modules}; do $b insmod /modules/$module || echo "cannot load $module"; done
$b mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=262144,cache=loose host /lower
$b mount -t tmpfs tmpfs /rw
$b mkdir /rw/upper /rw/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work overlay /new
$b mount -t proc proc /new/proc
$b mount -t sysfs sysfs /new/sys
$b mount -t devtmpfs devtmpfs /new/dev
$b mkdir -p /new/dev/shm
$b mount -t tmpfs tmpfs /new/dev/shm
$b mount -t tmpfs tmpfs /new/run
echo MACHINE STARTED
exec $b switch_root /new /bin/sh -c "/usr/bin/env -i {environment} {command}; echo MACHINE ENDED \\$?; $b poweroff -f"
"""


def kernel() -> Path | None:
    """Return the newest kernel that has its modules here and may be read."""
    found = [
        image
        for image in Path("/boot").glob("vmlinuz-*")
        if (Path("/lib/modules") / version(image) / "modules.dep").exists() and os.access(image, os.R_OK)
    ]
    return max(found, key=lambda image: image.stat().st_mtime, default=None)


def version(image: Path) -> str:
    return image.name.removeprefix("vmlinuz-")


def lacking() -> str | None:
    """Return why no machine can be started here."""
    for program, package in (
        ("qemu-system-x86_64", "qemu-system-x86"),
        ("busybox", "busybox-static"),
        ("modprobe", "kmod"),
    ):
        if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
            return f"{program} is not installed ({package})"
    return None if kernel() else "there is no kernel with its modules in /boot (linux-image-amd64)"


def run(command: list[str], environment: dict[str, str], folder: Path, timeout: float) -> str:
    """Boot, run a command of this machine as root in the virtual one, and return what the console showed."""
    # Software emulation everywhere: inside of virtual machines, which CI runs in, the processor's own help often hangs.
    image = kernel()
    assert image is not None
    modules = _with_needs(version(image))
    init = INIT.format(
        modules=" ".join(module.name.removesuffix(".xz") for module in modules),
        environment=" ".join(f"'{name}={value}'" for name, value in environment.items()),
        command=" ".join(f"'{word}'" for word in command),
    )
    initramfs = folder / "initramfs.cpio"
    initramfs.write_bytes(_cpio(init, modules))
    words = [
        "qemu-system-x86_64", "-machine", "q35,accel=tcg", "-cpu", "qemu64", "-smp", "1", "-m", "1024",
        "-kernel", str(image), "-initrd", str(initramfs), "-append", "console=ttyS0 quiet panic=-1",
        "-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap",
        "-nographic", "-no-reboot", "-nic", "none",
    ]  # fmt: skip
    console = folder / "console"
    with console.open("wb") as output:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return console.read_text(errors="replace")


def _with_needs(release: str) -> list[Path]:
    """Return the files of the modules in the order of loading."""
    folder = Path("/lib/modules") / release
    needs = {}
    for line in (folder / "modules.dep").read_text().splitlines():
        name, _, others = line.partition(":")
        needs[name] = others.split()
    built_in = (folder / "modules.builtin").read_text()
    order: list[str] = []
    for wanted in MODULES:
        if f"/{wanted}.ko" in built_in:
            continue
        path = next(path for path in needs if Path(path).name.split(".")[0] == wanted)
        # modules.dep lists what is needed last first.
        order += [name for name in [*reversed(needs[path]), path] if name not in order]
    return [folder / name for name in order]


def _cpio(init: str, modules: Iterable[Path]) -> bytes:
    """Return an archive in the kernel's newc format (Documentation/driver-api/early-userspace/buffer-format.rst)."""
    busybox = Path(shutil.which("busybox") or "/bin/busybox")
    entries = [("bin", 0o40755, b""), ("modules", 0o40755, b""), ("dev", 0o40755, b"")]
    entries += [("bin/busybox", 0o100755, busybox.read_bytes()), ("init", 0o100755, init.encode())]
    for module in modules:
        content = module.read_bytes()
        if module.suffix == ".xz":
            content = lzma.decompress(content)
        entries.append((f"modules/{module.name.removesuffix('.xz')}", 0o100644, content))
    archive = b""
    for number, (name, mode, content) in enumerate([*entries, ("TRAILER!!!", 0, b"")], 1):
        fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        archive += head + b"\0" * (-len(head) % 4) + content + b"\0" * (-len(content) % 4)
    return archive
