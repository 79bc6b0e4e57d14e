"""Deletes each wait of a planned module in turn, and requires that the race check and the late run notice.

    delete_waits.py MODULE.mlir FOLDER

A token that a `npu.wait` names is one wait. The race check has to report an error; the run with transfers
as late as their waits allow has to fail, or to give other outputs than the whole module.
"""

import pathlib
import re
import subprocess
import sys

import compare_npy

DEVICE = "ascend-910b"
WAIT = re.compile(r"^(\s*npu\.wait )(.*)$")


def without_waits(lines):
    """Line number, token and module for each token of each wait."""
    for number, line in enumerate(lines):
        if not (found := WAIT.match(line)):
            continue
        tokens = [t.strip() for t in found[2].split(",")]
        for token in tokens:
            rest = [t for t in tokens if t != token]
            kept = [found[1] + ", ".join(rest)] if rest else []
            yield number + 1, token, lines[:number] + kept + lines[number + 1 :]


def checked(module):
    command = ["sinter-opt", module, "--npu-check-races", "-o", "/dev/null"]
    return subprocess.run(command, capture_output=True, text=True)


def ran(module, folder):
    command = ["sinter", "run", module, "--device", DEVICE, "--adversarial", "--random-inputs", "1"]
    command += ["--threads", "1", "--output-dir", folder]
    return subprocess.run(command, capture_output=True, text=True)


def main(module, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / "whole"
    for result in (checked(module), ran(module, whole)):
        if result.returncode != 0:
            print(f"the whole module fails: {result.stderr}")
            return
    lines = pathlib.Path(module).read_text().splitlines()
    count = missed = 0
    for number, token, text in without_waits(lines):
        count += 1
        broken = folder / f"without-{number}-{token[1:]}.mlir"
        broken.write_text("\n".join(text) + "\n")
        out = broken.with_suffix("")
        race = checked(broken)
        if race.returncode == 0 or "under way" not in race.stderr:
            missed += 1
            print(f"line {number}, {token}: the race check misses it")
        if ran(broken, out).returncode == 0 and compare_npy.folders(whole, out) == 0.0:
            missed += 1
            print(f"line {number}, {token}: the late run misses it")
    print(f"{count} waits deleted, {missed} missed")


main(sys.argv[1], sys.argv[2])
