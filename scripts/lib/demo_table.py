"""Prints the table of scripts/demo from its folder; exits 1 when an output is too far from the reference.

The folder holds egraph.json and none.json (`sinter bench --json`), maybe onnxruntime.json (`scripts/oracle --bench`),
and egraph/, none/ and expected/ with one .npy file per output. Needs nothing but Python's standard library.
"""

import array
import ast
import glob
import json
import math
import os
import struct
import sys

# Largest difference, in parts of the largest reference value.
TOLERANCE = 1e-3
TYPES = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q"}


def read_npy(path):
    """Shape and flat values of a little-endian array in C order."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY":
        sys.exit(f"demo: {path} is no .npy file")
    width, start = ("<H", 10) if data[6] == 1 else ("<I", 12)
    length = struct.unpack_from(width, data, 8)[0]
    header = ast.literal_eval(data[start : start + length].decode("latin1"))
    if header["descr"] not in TYPES or header["fortran_order"]:
        sys.exit(f"demo: {path} holds {header['descr']}, which the comparison does not read")
    values = array.array(TYPES[header["descr"]])
    values.frombytes(data[start + length :])
    if sys.byteorder == "big":
        values.byteswap()
    return header["shape"], values


def difference(actual_folder, expected_folder):
    """Largest difference over all outputs, each in parts of its largest reference value."""
    files = sorted(glob.glob(os.path.join(expected_folder, "*.npy")))
    if not files:
        sys.exit("demo: there is no reference output")
    worst = 0.0
    for file in files:
        shape, expected = read_npy(file)
        path = os.path.join(actual_folder, os.path.basename(file))
        if not os.path.exists(path):
            sys.exit(f"demo: output {os.path.basename(file)} is missing")
        actual_shape, actual = read_npy(path)
        if actual_shape != shape:
            sys.exit(f"demo: output {os.path.basename(file)} has shape {actual_shape}, not {shape}")
        scale = max(map(abs, expected), default=0.0)
        if not 0.0 < scale < math.inf:
            sys.exit(f"demo: reference {os.path.basename(file)} is all zero or not finite")
        for a, e in zip(actual, expected):
            away = abs(a - e) / scale
            # A NaN is as far away as can be.
            worst = max(worst, away if away == away else math.inf)
    return worst


def load(folder, name):
    path = os.path.join(folder, name + ".json")
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return json.load(file)


def main():
    folder = sys.argv[1]
    columns = {"fused": "egraph", "unfused": "none"}
    benches = {title: load(folder, name) for title, name in columns.items()}
    away = {t: difference(os.path.join(folder, n), os.path.join(folder, "expected")) for t, n in columns.items()}
    ort = load(folder, "onnxruntime")
    rows = [
        ["", *columns, "onnxruntime"],
        ["operators -> kernels", *(f"{b['operators']} -> {b['kernels']}" for b in benches.values()), ""],
        ["intermediate bytes", *(str(b["intermediate_bytes"]) for b in benches.values()), ""],
        ["latency, median ms", *(f"{b['median_ms']:.3f}" for b in benches.values()), f"{ort['median_ms']:.3f}" if ort else "not there"],
        ["largest difference", *(f"{d:.1e}" for d in away.values()), ""],
    ]
    for first, *rest in rows:
        print(f"{first:22}" + "".join(f"{cell:>16}" for cell in rest).rstrip())
    for title, worst in away.items():
        if worst > TOLERANCE:
            sys.exit(f"demo: the {title} model is {worst:.1e} of the largest value away from the reference, over {TOLERANCE:.0e}")


if __name__ == "__main__":
    main()
