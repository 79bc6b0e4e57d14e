"""Looks for tests that do not test: no RUN line, a RUN line that checks nothing, checks that nothing reads, prefixes without
checks; and for paths of one machine."""

import pathlib
import re

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


def main(root):
    """Prints the faults of the tests in a folder; whether there are any."""
    count = bad = 0
    for path in sorted(pathlib.Path(root).rglob("*")):
        if path.suffix not in (".mlir", ".test") or "Inputs" in path.relative_to(root).parts:
            continue
        count += 1
        for fault in faults(path.read_text()):
            bad += 1
            print(f"{path.relative_to(root)}: {fault}")
    print(f"{count} tests, {bad} faults")
    return bad > 0
