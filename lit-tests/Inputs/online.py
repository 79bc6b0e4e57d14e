"""Runs a `graph` module with its attentions in chunks, on each device, and compares with unfused operators.

    online.py MODULE.mlir FOLDER CHUNK

A line for each device says whether the outputs agree, and how many stages its kernel has.
"""

import pathlib
import subprocess
import sys

import compare_npy

TOLERANCE = 1e-5
DEVICES = {"host": [], "ascend-910b": ["--adversarial"]}


def pipeline(device, chunk):
    steps = [
        "graph-simplify",
        f"graph-fuse{{device={device}}}",
        "convert-graph-to-tloop",
        f"tloop-pack-constants{{device={device}}}",
        "tloop-apply-layouts",
        "tloop-place-stages",
        f"tloop-online-softmax{{chunk={chunk}}}",
        "tloop-coalesce",
        f"tloop-schedule{{device={device}}}",
    ]
    return f"--pass-pipeline=builtin.module({','.join(steps)})"


def main(module, folder, chunk):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    inputs = ["--random-inputs", "1", "--threads", "1"]
    reference = folder / "reference"
    command = ["sinter", "run", module, *inputs, "--fusion", "none", "--output-dir", reference]
    subprocess.run(command, check=True, capture_output=True)
    for device, flags in DEVICES.items():
        below, out = folder / f"{device}.mlir", folder / device
        subprocess.run(["sinter-opt", module, pipeline(device, chunk), "-o", below], check=True)
        text = below.read_text()
        stages = text.count("tloop.nest ") + text.count("tloop.contract ")
        run = ["sinter", "run", below, *inputs, "--device", device, *flags, "--output-dir", out]
        subprocess.run(run, check=True, capture_output=True)
        largest = compare_npy.folders(reference, out)
        agree = "agrees" if largest <= TOLERANCE else f"differs by {largest:.3g}"
        print(f"{device}: {stages} stages, {agree}")


main(*sys.argv[1:])
