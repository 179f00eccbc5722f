#!/usr/bin/env python3
# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
"""The layout: what lies at the top, what each folder and each file must have, and what no file may hold."""
import posixpath
import re

import tree as trees

TOP = {"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "bench", "harness", "reports", "scripts",
       "techniques"}
CODE = (".cpp", ".hpp", ".cmake", ".py", ".sh")
MOST_LINES, MOST_README_LINES = 400, 150
SPDX = ("SPDX-FileCopyrightText: Ninefold contributors", "SPDX-License-Identifier: MIT")

# What would tie the repository to one machine or one package source.
FORBIDDEN = [
    (re.compile(r"(?<![\w.$}])/(?:work|home|root)/"), "an absolute path of one machine"),
    (re.compile(r"\b(?:pypi\.org|pythonhosted\.org|download\.pytorch\.org|anaconda\.org|npmjs\.org|deb\.debian\.org"
                r"|archive\.ubuntu\.com)\b|https?://[^\s/]*(?:artifactory|nexus|pypi|mirror)"), "a package registry's host"),
]


def is_code(name, text):
    return name.endswith(CODE) or posixpath.basename(name) == "CMakeLists.txt" or text.startswith("#!")


def file_problems(name, text):
    lines = text.splitlines()
    if is_code(name, text):
        head = "\n".join(lines[:3])  # a script has its interpreter first
        if not all(line in head for line in SPDX):
            yield f"{name}:1: the two SPDX lines are missing"
        if len(lines) > MOST_LINES:
            yield f"{name}: {len(lines)} lines; split what has more than {MOST_LINES}"
    if name.endswith(".hpp") and "#pragma once" not in lines:
        yield f"{name}: #pragma once is missing"
    if posixpath.basename(name) == "README.md" and len(lines) > MOST_README_LINES:
        yield f"{name}: {len(lines)} lines; at most {MOST_README_LINES}"
    for number, line in enumerate(lines, 1):
        for pattern, what in FORBIDDEN:
            if pattern.search(line):
                yield f"{name}:{number}: holds {what}: {line.strip()[:80]}"


def folder_problems(files):
    folders = {posixpath.dirname(name) for name in files
               if name.endswith(CODE) and not name.startswith(".") and "/testdata/" not in name}
    for folder in sorted(folders):
        if posixpath.join(folder, "README.md") not in files:
            yield f"{folder}: has no README.md"


def technique_problems(files):
    for name in sorted(files):
        parts = name.split("/")
        if parts[0] != "techniques" or len(parts) < 3:
            continue
        if not re.fullmatch(r"[a-z0-9_]+", parts[1]):
            yield f"techniques/{parts[1]}: a technique's name is made of a-z, 0-9 and _"
        if name.endswith(".cpp") and not name.endswith("_test.cpp") and name[:-4] + "_test.cpp" not in files:
            yield f"{name}: has no test {name[:-4]}_test.cpp"


def problems(tree):
    files = set(tree.files)
    found = [f"{name}: does not belong at the top level" for name in sorted({file.split("/")[0] for file in files})
             if name not in TOP and not name.startswith(".")]
    for name in tree.files:
        found += file_problems(name, tree.text(name))
    return found + list(folder_problems(files)) + sorted(set(technique_problems(files)))


if __name__ == "__main__":
    trees.run_check(problems)
