#!/usr/bin/env python3
# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
"""Include directions: which folder may know which, and what must be readable and buildable without torch."""
import re

import tree as trees

TORCH = re.compile(r"(torch|ATen|c10|caffe2)/")
# The plan, the protocol, the evidence and the report build without LibTorch.
TORCH_FREE = re.compile(r"harness/[^/]+|harness/(evidence|data)/.+|harness/measure/(?!child/).+|reports/.+"
                        r"|bench/(options|plan)\.[ch]pp")
CODE = ("bench/", "techniques/", "harness/", "reports/")
READ_BY_REPORTS = re.compile(r"reports/|harness/(record|schedule)\.hpp$|harness/evidence/")


def may_include(name, path):
    """Whether the file `name` may include `path` of ours; both from the root."""
    if name.startswith("harness/"):
        return path.startswith("harness/")
    if name.startswith("reports/"):
        return READ_BY_REPORTS.match(path) is not None
    if name.startswith("techniques/"):
        own = name[:name.rindex("/") + 1]  # another technique is used by name, so that its folder can be deleted
        return path.startswith(("harness/", own))
    return True


def is_torch(tree, name):
    return any(TORCH.match(path) for _, _, path in tree.includes(name))


def chain(via, name):
    steps = []
    while name:
        steps.append(name)
        name = via[name]
    return " -> ".join(reversed(steps))


def problems(tree):
    found = []
    for name in tree.cpp():
        for line, quoted, path in tree.includes(name):
            if quoted and not path.startswith(CODE):
                found.append(f'{name}:{line}: "{path}" is not written from the repository root')
            elif path.startswith(CODE) and not may_include(name, path):
                found.append(f"{name}:{line}: {name.split('/')[0]} must not include {path}")
        if TORCH_FREE.fullmatch(name):
            via = tree.reached(name)
            found += [f"{name}: must know no torch: {chain(via, file)} includes it" for file in via
                      if is_torch(tree, file)]
    return found


if __name__ == "__main__":
    trees.run_check(problems)
