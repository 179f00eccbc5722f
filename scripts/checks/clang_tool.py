# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
"""Finds the pinned version of a clang tool: another version formats and warns differently."""
import re
import shutil
import subprocess
import sys

import tree as trees

VERSION = 14


def find(tool):
    """Path of clang-format or clang-tidy; ends the check as skipped where this version is not installed."""
    for name in (f"{tool}-{VERSION}", tool):
        path = shutil.which(name)
        if path:
            told = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {VERSION}\.", told):
                return path
    print(f"skipped: {tool} {VERSION} is not installed")
    sys.exit(trees.SKIPPED)
