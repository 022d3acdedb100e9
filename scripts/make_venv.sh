#!/bin/sh
# Makes a virtual environment with pip: make_venv.sh PYTHON FOLDER. Works where Debian's Python lacks ensurepip.
# The file .created marks a whole one, which another make may have made while this one waited.
set -eu

python=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)

created() {
    touch "$folder/.created"
    exit 0
}

[ -e "$folder/.created" ] && exit 0
echo "Setting up $folder with $python"

# Each way in turn: the first is the usual one, the others do without ensurepip.
"$python" -m venv --clear "$folder" >/dev/null 2>&1 && created
if command -v uv >/dev/null 2>&1; then
    uv venv --quiet --clear --seed --python "$python" "$folder" && created
fi
if "$python" -m venv --clear --without-pip "$folder" && "$folder/bin/python" "$here/bootstrap_pip.py"; then
    created
fi
rm -rf "$folder"
echo "linkworth: $python cannot make a virtual environment with pip: install python3-venv (Debian, Ubuntu) or uv" \
    "and run make again." >&2
exit 3
