#!/bin/sh
# Makes a virtual environment with pip: make_venv.sh PYTHON FOLDER. Works where Debian's Python lacks ensurepip.
set -eu

python=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)

if "$python" -c 'import ensurepip' 2>/dev/null; then
    "$python" -m venv --clear "$folder"
elif command -v uv >/dev/null 2>&1; then
    uv venv --quiet --clear --seed --python "$python" "$folder"
else
    "$python" -m venv --clear --without-pip "$folder"
    if ! "$folder/bin/python" "$here/bootstrap_pip.py"; then
        rm -rf "$folder"
        echo "linkworth: $python cannot make a virtual environment with pip: install python3-venv (Debian," \
            "Ubuntu) or uv and run make again." >&2
        exit 3
    fi
fi
