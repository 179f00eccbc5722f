#!/usr/bin/env python3
# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
"""Formatting: every C++ file is as clang-format leaves it."""
import subprocess

import clang_tool
import tree as trees


def problems(tree):
    files = tree.cpp()
    command = [clang_tool.find("clang-format"), "--dry-run", "--Werror", "--style=file", *files]
    told = subprocess.run(command, cwd=tree.root, capture_output=True, text=True)
    if told.returncode == 0 or not files:
        return []
    wrong = sorted({line.split(":")[0] for line in told.stderr.splitlines() if "[-Wclang-format-violations]" in line})
    return [f"{name}: not formatted; run: clang-format-{clang_tool.VERSION} -i {name}" for name in wrong] or [told.stderr]


if __name__ == "__main__":
    trees.run_check(problems)
