"""lit configuration.

Tools are looked for in the folders of `SINTER_BIN_DIR`, then where cargo puts them, then on PATH; FileCheck, not
and split-file come with LLVM (`LLVM_BIN_DIR`, or /usr/lib/llvm-22/bin).
"""

import os
import shutil

import lit.formats
import lit.util

config.name = "sinter"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
root = os.path.dirname(config.test_source_root)

target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
config.test_exec_root = os.environ.get("SINTER_LIT_OUTPUT", os.path.join(target, "lit"))

profiles = [os.path.join(target, profile) for profile in ("release", "debug")]
tool_dirs = [d for d in os.environ.get("SINTER_BIN_DIR", "").split(os.pathsep) if d]
tool_dirs += [d for d in profiles if os.path.exists(os.path.join(d, "sinter-opt"))]
llvm_bin = os.environ.get("LLVM_BIN_DIR", "/usr/lib/llvm-22/bin")
path = os.pathsep.join(tool_dirs + [llvm_bin, os.environ.get("PATH", "")])
config.environment["PATH"] = path
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=all"

for tool in ("sinter-opt", "sinter-reduce", "sinter-lsp-server", "FileCheck", "not"):
    if not shutil.which(tool, path=path):
        lit_config.fatal(f"cannot find {tool}: build the tools (cargo build), or set SINTER_BIN_DIR")

# The command line tool is needed by end-to-end tests only.
if shutil.which("sinter", path=path):
    config.available_features.add("sinter")

config.substitutions.append(("%root", root))
config.substitutions.append(("%python", shutil.which("python3") or "python3"))
