"""Looks for tests that do not test: no RUN line, a RUN line that checks nothing, checks that nothing reads, prefixes without
checks; and for paths of one machine."""

import pathlib
import re
import sys

CHECKERS = ("FileCheck", "--verify-diagnostics", "count ")
DIRECTIVE = re.compile(
    r"^\s*(?://|#|;)\s*([A-Z][A-Z0-9_-]*?)(?:-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+))?:(?!:)"
)
NOT_CHECKS = {"RUN", "REQUIRES", "UNSUPPORTED", "XFAIL"}
ABSOLUTE = re.compile(r"(?<![\w%.})\]])/(?:home|root|tmp|usr|opt|var|work|mnt|Users)/\w+")


def run_lines(text):
    """RUN lines with their continuations joined."""
    joined = re.sub(r"\\\n\s*(?://|#|;)\s*RUN:", " ", text)
    return re.findall(r"(?://|#|;)\s*RUN:(.*)", joined)


def prefixes(run):
    """Prefixes of checks that a RUN line reads."""
    found = set()
    for command in re.findall(r"FileCheck[^|&]*", run):
        named = re.findall(r"--?check-prefix(?:es)?[= ](\S+)", command)
        found.update(p for group in named or ["CHECK"] for p in group.split(","))
    return found


def faults(text):
    runs = run_lines(text)
    if not runs:
        yield "has no RUN line"
    if re.search(r"(?m)^\s*(?://|#|;)\s*RUN\s+[^:]", text):
        yield "has a RUN line without a colon"
    if runs and not any(checker in run for run in runs for checker in CHECKERS):
        yield "checks nothing"
    read = set().union(*map(prefixes, runs)) if runs else set()
    written = {m[1] for line in text.splitlines() if (m := DIRECTIVE.match(line))} - NOT_CHECKS
    for prefix in sorted(written - read):
        yield f"has {prefix} lines that no RUN line reads"
    # FileCheck itself refuses a run none of whose prefixes has a check; with several, one may be left over.
    for prefix in sorted(read - written):
        if any(len(prefixes(run)) > 1 and prefix in prefixes(run) for run in runs):
            yield f"names the prefix {prefix}, which no line has"
    for path in sorted(set(ABSOLUTE.findall(text))):
        yield f"holds the absolute path {path}"
    if re.search(r"//\s*expected-", text) and not any("--verify-diagnostics" in run for run in runs):
        yield "expects diagnostics, but no RUN line verifies them"


def tests(root):
    """The tests of a folder, or the one that is given, with their names there."""
    if root.is_file():
        return [(root, root.name)]
    found = [(path, path.relative_to(root)) for path in sorted(root.rglob("*"))]
    return [
        (path, name)
        for path, name in found
        if path.suffix in (".mlir", ".test") and path.is_file() and "Inputs" not in name.parts
    ]


def main(root):
    """Prints the faults of the tests in a folder; whether there are any. That there are no tests is one."""
    root = pathlib.Path(root)
    if not root.exists():
        print(f"sinter-lit: there is no '{root}'", file=sys.stderr)
        return True
    found = tests(root)
    if not found:
        print(f"sinter-lit: there are no tests (.mlir, .test) in '{root}'", file=sys.stderr)
        return True
    bad = 0
    for path, name in found:
        try:
            text = path.read_text()
        except (OSError, UnicodeDecodeError) as error:
            bad += 1
            print(f"{name}: cannot be read: {error}")
            continue
        for fault in faults(text):
            bad += 1
            print(f"{name}: {fault}")
    print(f"{len(found)} tests, {bad} faults")
    return bad > 0
