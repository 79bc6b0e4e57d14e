"""Parses the examples of the dialects' documentation.

An example uses values that it does not define. Each is defined first with type `none`; the parser then says which
type it expects, and after a few rounds all types are known.
"""

import bisect
import json
import pathlib
import re
import subprocess
import sys

DIALECTS = {"graph": "Graph", "tloop": "Tloop", "npu": "Npu"}
# Operations that mean something only within another, or that name a symbol: only their syntax is looked at.
WITHIN = {
    "graph.yield", "graph.composite", "tloop.yield", "tloop.return", "tloop.index", "tloop.launch", "tloop.call",
    "npu.launch", "npu.return", "npu.sync", "npu.yield", "npu.program", "npu.compute",
}
TOP = re.compile(r"^\s*(tloop\.kernel|npu\.kernel|npu\.program|func\.func)\b")
MISMATCH = re.compile(r"use of value '(%\w+)' expects different type than prior uses: '(.*)' vs '(.*)'")
MAX_ROUNDS = 16


def examples(root):
    """(name, code) of each fenced example of an operation."""
    for name, prefix in DIALECTS.items():
        command = ["llvm-tblgen", "--dump-json", "-I", root, "-I", root / name]
        command += ["-I", include_dir(), root / name / f"{prefix}Ops.td"]
        records = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for record in records["!instanceof"]["Op"]:
            record = records[record]
            for code in re.findall(r"```mlir\n(.*?)```", record["description"], re.S):
                yield f"{name}.{record['opName']}", code


def include_dir():
    command = ["llvm-config", "--includedir"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class Example:
    def __init__(self, name, code):
        self.name, self.code = name, code
        self.top = bool(TOP.match(code))
        defined = set()
        for line in code.splitlines():
            results = re.match(r"\s*(%\w+(?:, %\w+)*)(?::\d+)? = ", line)
            if results:
                defined.update(re.findall(r"%\w+", results[1]))
            if line.strip().startswith("^"):
                defined.update(re.findall(r"(%\w+):", line))
        used = dict.fromkeys(re.findall(r"%\w+", code))
        self.types = {} if self.top else {v: "none" for v in used if v not in defined}

    def text(self):
        if self.top:
            return self.code
        lines = [f'  {value} = "test.value"() : () -> {ty}' for value, ty in self.types.items()]
        return "func.func @example() {\n" + "\n".join(lines) + "\n" + self.code + "\n  return\n}\n"


def parse(group, flags):
    """Parses all examples in one run. Returns the errors, each with the example that its line is in."""
    texts = [example.text() for example in group]
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + text.count("\n") + 2)
    command = ["sinter-opt", "--split-input-file", "--allow-unregistered-dialect", "-o", "/dev/null", *flags]
    result = subprocess.run(command, input="\n// -----\n".join(texts), capture_output=True, text=True)
    errors = []
    for line, message in re.findall(r"<stdin>:(\d+):\d+: error: (.*)", result.stderr):
        errors.append((group[bisect.bisect_right(starts, int(line) - 1) - 1], message))
    return errors


def faults(group, flags):
    """Errors that are left once the types of all values are known."""
    for _ in range(MAX_ROUNDS):
        errors = parse(group, flags)
        mismatches = [(e, m) for e, text in errors if (m := MISMATCH.match(text)) and m[1] in e.types]
        if not mismatches:
            return errors
        for example, mismatch in mismatches:
            example.types[mismatch[1]] = mismatch[2]
    return errors


def main(root):
    all_examples = [Example(name, code) for name, code in examples(root)]
    alone = [e for e in all_examples if e.name not in WITHIN]
    within = [e for e in all_examples if e.name in WITHIN]
    wrong = faults(alone, []) + faults(within, ["--mlir-very-unsafe-disable-verifier-on-parsing"])
    for example, message in wrong:
        print(f"{example.name}: {message}")
    print(f"{len(all_examples)} examples, {len(wrong)} wrong")


main(pathlib.Path(sys.argv[1]))
