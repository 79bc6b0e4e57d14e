"""Compares folders of NumPy files of f32, element by element.

Shapes may differ where the numbers of elements are the same: device programs know buffers, not shapes.
"""

import ast
import math
import pathlib
import struct


def read(path):
    """Elements of a NumPy file of f32."""
    data = pathlib.Path(path).read_bytes()
    if data[:6] != b"\x93NUMPY":
        raise ValueError(f"{path} is not a NumPy file")
    size, start = (2, 10) if data[6] == 1 else (4, 12)
    end = start + int.from_bytes(data[8 : 8 + size], "little")
    header = ast.literal_eval(data[start:end].decode())
    if header["descr"] != "<f4" or header["fortran_order"]:
        raise ValueError(f"{path} holds {header['descr']}, not f32 in row-major order")
    count = math.prod(header["shape"])
    return struct.unpack(f"<{count}f", data[end : end + 4 * count])


def difference(a, b):
    """Largest difference of two files, relative to the largest value of the first; infinite where sizes differ."""
    wanted, given = read(a), read(b)
    if len(wanted) != len(given) or any(math.isnan(x) != math.isnan(y) for x, y in zip(wanted, given)):
        return math.inf
    largest = max((abs(x) for x in wanted if not math.isnan(x)), default=0.0) or 1.0
    return max((abs(x - y) for x, y in zip(wanted, given) if x != y and not math.isnan(x)), default=0.0) / largest


def folders(a, b):
    """Largest difference of the outputs in two folders; infinite where their names differ, or there are none."""
    names = sorted(p.name for p in pathlib.Path(a).glob("*.npy"))
    if not names or names != sorted(p.name for p in pathlib.Path(b).glob("*.npy")):
        return math.inf
    return max(difference(pathlib.Path(a) / n, pathlib.Path(b) / n) for n in names)

