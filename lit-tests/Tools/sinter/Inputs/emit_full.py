"""Writes a model at every level, in full text and as bytecode, runs what was written, and compares its results with those
of the model itself."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Inputs"))
import compare_npy

model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
for level in ("graph", "fused", "tloop", "npu"):
    for form, suffix, flags in (("text", "mlir", ["--full"]), ("bytecode", "mlirbc", [])):
        written, results = folder / f"{level}.{suffix}", folder / f"{level}-{form}"
        subprocess.run(["sinter", "compile", model, "--emit", level, *flags, "-o", written], check=True)
        run = ["sinter", "run", written, "--random-inputs", "1", "--output-dir", results]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        difference = compare_npy.folders(folder / "model", results)
        print(f"{level} {form}:", "the same results" if difference <= 1e-6 else f"off by {difference}")
