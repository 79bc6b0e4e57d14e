"""What a lit.cfg.py needs to test with Sinter's tools."""

import os
import pathlib
import shutil
import subprocess
import sys

import update_checks

ROOT = pathlib.Path(__file__).resolve().parents[2]
"""Sinter's repository."""

TOOLS = ("sinter-opt", "sinter-reduce", "sinter-lsp-server", "sinter")


def llvm_bin():
    """The folder of FileCheck, lit, not and split-file."""
    if named := os.environ.get("LLVM_BIN_DIR"):
        return pathlib.Path(named)
    if config := shutil.which("llvm-config-22"):
        return pathlib.Path(subprocess.check_output([config, "--bindir"], text=True).strip())
    return pathlib.Path("/usr/lib/llvm-22/bin")


def _folders(variable):
    return [folder for folder in os.environ.get(variable, "").split(os.pathsep) if folder]


def tool_folders():
    """Where tools are looked for, the first first."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [target / profile for profile in ("release", "debug")]
    built = [str(folder) for folder in built if (folder / "sinter-opt").exists()]
    path = os.environ.get("PATH", "").split(os.pathsep)
    return [*_folders("TOOLS"), *_folders("SINTER_BIN_DIR"), *built, str(llvm_bin()), *path]


def configure(config, lit_config, name, required=("sinter-opt", "FileCheck", "not"), output=None):
    """Sets the suite of `config.test_source_root` up: tests are .mlir and .test files; %python is this interpreter, %sinter
    Sinter's repository. Each of Sinter's tools that is there is a feature for REQUIRES lines. `output` is the folder of
    what tests write."""
    import lit.formats

    config.name = name
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.suffixes = [".mlir", ".test"]
    config.excludes = ["Inputs", "lit.cfg.py"]
    folders = tool_folders()
    written = output or os.path.join(folders[0], f"lit-{name}")
    config.test_exec_root = os.environ.get("SINTER_LIT_OUTPUT", written)
    path = os.pathsep.join(folders)
    config.environment["PATH"] = path
    config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=all"
    for tool in required:
        if not shutil.which(tool, path=path):
            lit_config.fatal(f"cannot find {tool}: build it, or name its folder in TOOLS or SINTER_BIN_DIR")
    for tool in TOOLS:
        if shutil.which(tool, path=path):
            config.available_features.add(tool)
    config.substitutions.append(("%sinter", str(ROOT)))
    config.substitutions.append(("%python", sys.executable))
    if getattr(lit_config, "update_tests", False):
        lit_config.test_updaters.append(update_checks.updater)
