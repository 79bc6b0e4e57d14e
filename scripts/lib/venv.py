"""Runs a script under .cache/venv when the interpreter that started it lacks a package."""

import importlib.util
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def require(*packages):
    """Goes on when all packages can be imported, else starts again under .cache/venv, else exits with one line."""
    missing = [p for p in packages if importlib.util.find_spec(p) is None]
    if not missing:
        return
    python = os.path.join(ROOT, ".cache", "venv", "bin", "python")
    if os.path.exists(python) and os.environ.get("SINTER_VENV") != python:
        os.environ["SINTER_VENV"] = python
        os.execv(python, [python, *sys.argv])
    name = os.path.basename(sys.argv[0])
    sys.exit(f"{name}: python has no {', '.join(missing)}: run scripts/fetch-models")
