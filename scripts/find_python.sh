#!/bin/sh
# Prints a Python >= 3.11, one with its C headers (Python.h) before others, or one sentence that names what is missing.
# PYTHON=/path/to/python names one by hand.
set -u

is_recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
has_headers() {
    "$1" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null
}

recent=
for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if ! command -v "$name" >/dev/null 2>&1 || ! is_recent "$name"; then
        continue
    fi
    # The real path: a version manager's shim would later answer for another version.
    path=$("$name" -c 'import os, sys
print(os.path.realpath(sys.executable) if sys.prefix == sys.base_prefix else sys.executable)')
    if has_headers "$path"; then
        echo "$path"
        exit 0
    fi
    recent=${recent:-$path}
done

if [ -z "${PYTHON:-}" ] && command -v uv >/dev/null 2>&1 && uv python install --quiet 3.12 >&2; then
    uv python find --managed-python 3.12 && exit 0
fi

if [ -n "$recent" ]; then
    echo "$recent"
    exit 0
elif [ -n "${PYTHON:-}" ]; then
    echo "linkworth: PYTHON=$PYTHON is not a Python 3.11 or newer that runs: name another one." >&2
else
    echo "linkworth: no Python 3.11 or newer was found (looked for python3 and python3.11 to python3.14): install" \
        "one (RHEL: dnf install python3.12-devel), load its module, or name it with make PYTHON=/path/to/python." >&2
fi
exit 3
