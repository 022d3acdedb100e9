#!/bin/sh
# Makes a virtual environment with pip: make_venv.sh PYTHON FOLDER. Works where Debian's Python lacks ensurepip.
set -eu

python=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)

# Each way in turn: the first is the usual one, the others do without ensurepip.
"$python" -m venv --clear "$folder" >/dev/null 2>&1 && exit 0
if command -v uv >/dev/null 2>&1; then
    uv venv --quiet --clear --seed --python "$python" "$folder" && exit 0
fi
if "$python" -m venv --clear --without-pip "$folder" && "$folder/bin/python" "$here/bootstrap_pip.py"; then
    exit 0
fi
rm -rf "$folder"
echo "linkworth: $python cannot make a virtual environment with pip: install python3-venv (Debian, Ubuntu) or uv" \
    "and run make again." >&2
exit 3
