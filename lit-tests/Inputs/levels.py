"""Runs a `graph` module from each level down, on each device, and compares with unfused operators on the host.

    levels.py MODULE.mlir FOLDER

A line for each device and level says whether the outputs agree. The levels are made by `sinter-opt`; the
scratchpad device runs with transfers as late as their waits allow.
"""

import pathlib
import subprocess
import sys

import compare_npy

TOLERANCE = 1e-5
DEVICES = {"host": [], "ascend-910b": ["--adversarial"]}
LEVELS = {
    "graph": None,
    "group": "--pass-pipeline=builtin.module(graph-simplify,graph-fuse{{device={device}}})",
    "tloop": "--sinter-graph-to-tloop=device={device}",
    "npu": "--sinter-tloop-to-npu=device={device}",
}


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        first = "\n".join(result.stderr.splitlines()[:8])
        print(f"error: {' '.join(map(str, command))}\n{first}")
    return result.returncode == 0


def outputs(module, folder, *flags):
    command = ["sinter", "run", module, "--random-inputs", "1", "--threads", "1", "--output-dir", folder]
    return run([*command, *flags])


def main(module, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    reference = folder / "reference"
    if not outputs(module, reference, "--fusion", "none"):
        return
    for device, flags in DEVICES.items():
        at = module
        for level, step in LEVELS.items():
            if step:
                below = folder / f"{device}-{level}.mlir"
                if not run(["sinter-opt", at, step.format(device=device), "-o", below]):
                    break
                at = below
            out = folder / f"{device}-{level}"
            if outputs(at, out, "--device", device, *flags):
                largest = compare_npy.folders(reference, out)
                agree = "agrees" if largest <= TOLERANCE else f"differs by {largest:.3g}"
                print(f"{device} {level}: {agree}")


main(sys.argv[1], sys.argv[2])
