"""Runs `sinter-opt --verify-roundtrip` over every test input that is meant to be valid."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

FLAGS = ["--verify-roundtrip", "--split-input-file", "--allow-unregistered-dialect", "-o", os.devnull]


def is_valid(path):
    """Inputs that expect errors, those that an editor is shown, and those that name a whole program's arguments, are
    not for this."""
    text = path.read_text()
    return not any(word in text for word in ("expected-error", "not sinter-opt", "session.py"))


def run(path):
    flags = FLAGS + (["--no-implicit-module"] if "--no-implicit-module" in path.read_text() else [])
    result = subprocess.run(["sinter-opt", path, *flags], capture_output=True, text=True)
    return path, result.returncode, result.stderr


def main(root):
    paths = [p for p in sorted(pathlib.Path(root).rglob("*.mlir")) if is_valid(p)]
    differ = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for path, code, stderr in pool.map(run, paths):
            if code != 0:
                differ += 1
                print(f"{path.relative_to(root)}: {stderr.strip()}")
    print(f"{len(paths)} inputs, {differ} differ")


main(sys.argv[1])
