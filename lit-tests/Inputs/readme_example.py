"""Checks that the blocks of README.md's worked example are what `sinter compile --emit LEVEL` prints.

Each line follows the one before it, and `...` stands for anything. The example is for a CPU with 512-bit vectors; elsewhere only the levels above the
choice of vectors are compared.
"""

import json
import re
import subprocess
import sys

LEVELS = [("mlir", "graph"), ("mlir", "fused"), ("mlir", "tloop"), ("mlir", "npu"), ("llvm", "llvm"), ("asm", "asm")]


def words(text):
    """The text without the choice of spaces and line breaks."""
    return re.sub(r"\s*([{}()<>\[\],])\s*", r"\1", " ".join(text.split()))


def printed(*arguments):
    return subprocess.run(["sinter", *arguments], check=True, capture_output=True, text=True).stdout


def main():
    root = sys.argv[1]
    with open(f"{root}/README.md") as file:
        readme = file.read()
    example = readme[readme.index("## One example") :]
    blocks = re.findall(r"```(mlir|llvm|asm)\n(.*?)```", example, re.DOTALL)
    if [language for language, _ in blocks] != [language for language, _ in LEVELS]:
        sys.exit(f"README.md has other blocks than expected: {[b[0] for b in blocks]}")
    processor = next(c["detail"] for c in json.loads(printed("doctor", "--json")) if c["name"] == "processor")
    levels = LEVELS if "64-byte vectors" in processor else LEVELS[:2]
    for (_, level), (_, block) in zip(levels, blocks):
        text = words(printed("compile", f"{root}/models/chain.onnx", "--emit", level))
        at = 0
        for part in filter(None, (words(p) for p in re.split(r"\.\.\.|\n", block))):
            found = text.find(part, at)
            if found < 0:
                sys.exit(f"level {level} does not print, after what came before:\n{part}\nbut:\n{text[at:]}")
            at = found + len(part)
    print(f"{len(levels)} levels of the example are what the command prints")


main()
