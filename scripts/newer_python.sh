#!/bin/sh
# Prints a Python 3.12 or newer of this machine that has its C headers, or nothing.
for python in python3.12 python3.13 python3.14 "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python; do
    "$python" -c 'import os, sys, sysconfig
sys.exit(sys.version_info < (3, 12) or not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' \
        2>/dev/null && command -v "$python" && exit 0
done
exit 0
