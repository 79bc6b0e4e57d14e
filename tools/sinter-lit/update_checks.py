"""Writes the CHECK lines of FileCheck tests anew, for `lit --update-tests`.

Every `RUN: COMMAND | FileCheck %s` line is run again without FileCheck. For each function, kernel or program in its output
that the test file holds too, the CHECK lines of that prefix before it are replaced: a CHECK-LABEL, then a line per operation
with captured values. What is before the first function (and speaks of the whole file) goes, other comments stay.
"""

import re
import subprocess

SYMBOL = re.compile(r"^(\s*)(?:\"?[\w.]+\"?)\s.*?@([\w$.-]+|\"[^\"]+\").*\{$")
DEFINITION = re.compile(r"^\s*[\w.]+\s(?:private\s|public\s)?@([\w$.-]+|\"[^\"]+\")")
VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
SUFFIXES = r"(?:-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+))?"


def updater(result, test, commands):
    """Called by lit for a command that failed; says what was done."""
    program = result.command.args[0] if result.command.args else ""
    if not str(program).endswith("FileCheck"):
        return None
    path = test.getSourcePath()
    environment = {**test.config.environment}
    text = open(path, encoding="utf-8").read()
    outputs = {}
    for command in commands:
        command = re.sub(r"^%dbg\([^)]*\)\s*", "", command)
        command, _, check = command.rpartition("| FileCheck")
        if not command:
            continue
        for prefix in _prefixes(check):
            run = subprocess.run(
                ["bash", "-c", command], capture_output=True, text=True, env=environment, cwd=test.getExecPath().rsplit("/", 1)[0]
            )
            if outputs.setdefault(prefix, run.stdout) != run.stdout:
                return f"not updated: RUN lines with prefix {prefix} print different things"
    updated = text
    for prefix, output in outputs.items():
        updated = update(updated, prefix, output)
    if updated == text:
        return "not updated: what is printed holds no function of the file"
    with open(path, "w", encoding="utf-8") as file:
        file.write(updated)
    return f"updated {path}"


def _prefixes(check):
    named = re.findall(r"--?check-prefix(?:es)?[= ](\S+)", check)
    return [p for group in named or ["CHECK"] for p in group.split(",")]


def update(text, prefix, output):
    """The text of a test file with the CHECK lines of a prefix as an output asks for them."""
    printed = dict(symbols(output.splitlines()))
    lines = text.splitlines()
    waiting = {line: m[1] for line in lines if (m := DEFINITION.match(line)) and m[1] in printed}
    if not waiting:
        return text
    directive = re.compile(rf"^\s*(//|#|;)\s*{re.escape(prefix)}{SUFFIXES}:")
    comment = next((m[1] for line in lines if (m := directive.match(line))), "//")
    kept = []
    for line in lines:
        if directive.match(line):
            continue
        if line in waiting:
            kept += checks(printed[waiting.pop(line)], prefix, comment)
        kept.append(line)
    return _without_double_gaps(kept) + "\n"


def _without_double_gaps(lines):
    out = []
    for line in lines:
        if line.strip() or not out or out[-1].strip():
            out.append(line)
    return "\n".join(out)


def symbols(lines):
    """Functions, kernels and programs: name, and lines from the first to the one that closes it."""
    start = name = indent = None
    for i, line in enumerate(lines):
        if start is None:
            match = SYMBOL.match(line)
            if match and not line.lstrip().startswith(("//", "module")):
                start, indent, name = i, match[1], match[2]
        elif line.rstrip() == indent + "}":
            yield name, lines[start : i + 1]
            start = None


def checks(body, prefix, comment):
    """CHECK lines for a function's lines."""
    names, out = {}, []

    def value(match):
        text, number = match[0], ""
        if "#" in text:
            text, number = text.split("#")
            number = "#" + number
        if text in names:
            return f"[[{names[text]}]]{number}"
        names[text] = f"V{len(names)}"
        return f"[[{names[text]}:%[^ ,:)#]+]]{number}"

    for i, line in enumerate(body):
        line = line.strip()
        line = line.replace("{{", "{{\\{\\{}}").replace("[[", "{{\\[\\[}}")
        line = VALUE.sub(value, line)
        line = re.sub(r"#map\d*", "#map{{[0-9]*}}", line)
        if i == 0:
            label, rest = line.split("(", 1) if "(" in line else (line, "")
            out.append(f"{comment} {prefix}-LABEL: {label}(" if rest else f"{comment} {prefix}-LABEL: {label}")
            if rest:
                out.append(f"{comment} {prefix}-SAME: {rest}")
        elif line:
            out.append(f"{comment} {prefix}-NEXT: {line}")
    return out
