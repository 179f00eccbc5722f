# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
"""The files of a source tree and what includes what; shared by all checks. Must know no rule."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # exit status that ctest reads as "skipped"

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


class Tree:
    """`files` are the paths of a source tree relative to its root, as text: what git tracks or would add, so that a
    file is checked before it is committed; all but hidden folders and build/ where there is no git."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.files = sorted(self._from_git() or self._walked())
        self._includes = {}

    def _from_git(self):
        git = ["git", "-C", str(self.root)]
        try:
            top = subprocess.run(git + ["rev-parse", "--show-toplevel"], capture_output=True, text=True)
            if top.returncode != 0 or pathlib.Path(top.stdout.strip()) != self.root:
                return []
            listed = subprocess.run(git + ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                    capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return []
        return [name for name in set(listed.split("\0")) if name and (self.root / name).is_file()]

    def _walked(self):
        for path in self.root.rglob("*"):
            parts = path.relative_to(self.root).parts
            hidden = any(part.startswith(".") for part in parts[:-1])
            if path.is_file() and not hidden and parts[0] != "build" and "__pycache__" not in parts:
                yield "/".join(parts)

    def text(self, name):
        """The file as text; empty for a binary one."""
        data = (self.root / name).read_bytes()
        return "" if b"\0" in data else data.decode("utf-8", errors="replace")

    def cpp(self):
        return [name for name in self.files if name.endswith((".cpp", ".hpp"))]

    def includes(self, name):
        """(line number, is quoted, path as written) of each include directive of a file of the tree."""
        if name not in self._includes:
            text = self.text(name)
            self._includes[name] = [(text.count("\n", 0, match.start(2)) + 1, match[1] == '"', match[2])
                                    for match in INCLUDE.finditer(text)]
        return self._includes[name]

    def reached(self, name):
        """The files of the tree that `name` includes, directly or not, itself first: {file: file that includes it}."""
        ours = set(self.files)
        via, waiting = {name: None}, [name]
        while waiting:
            current = waiting.pop()
            for _, quoted, path in self.includes(current):
                if quoted and path in ours and path not in via:
                    via[path] = current
                    waiting.append(path)
        return via


def run_check(problems):
    """Main program of a check: `problems(tree)` gives a line for each thing that is wrong in the tree named by the only
    argument (this repository without one). Exit status 1 if there are any."""
    found = problems(Tree(sys.argv[1] if len(sys.argv) > 1 else ROOT))
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)
