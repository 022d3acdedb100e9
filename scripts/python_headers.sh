#!/bin/sh
# python_headers.sh PYTHON: prints nothing if that Python has its C headers, else the include folder of a copy unpacked
# below build/ (Debian and Ubuntu let anyone download a package), or one sentence that names the package to install.
set -u

python=$1
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -e "$include/Python.h" ] && exit 0

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
copy=$PWD/build/python-headers/$version
if [ ! -e "$copy/usr/include/python$version/Python.h" ] && command -v dpkg-deb >/dev/null 2>&1; then
    # Another make may do the same. Each unpacks into a folder of its own, and the first to end gives it its name.
    mkdir -p "$copy" && work=$(mktemp -d "$copy/XXXXXX") && {
        (
            cd "$work" && apt-get -qq download "libpython$version-dev" &&
                dpkg-deb -x libpython"$version"-dev_*.deb . && mv -T usr "$copy/usr"
        ) >/dev/null 2>&1
        rm -rf "$work"
    }
fi
if [ -e "$copy/usr/include/python$version/Python.h" ]; then
    echo "$copy/usr/include"
    exit 0
fi

echo "linkworth: $python has no C headers (Python.h), which the engine needs: install python$version-dev (Debian," \
    "Ubuntu) or python$version-devel (RHEL), or, without root, install uv or a conda Python and run make again." >&2
exit 3
