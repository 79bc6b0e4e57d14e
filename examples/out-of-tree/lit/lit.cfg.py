"""lit configuration: the tools of this crate (TOOLS names their folder), Sinter's, and LLVM's."""

import os

import lit.formats

config.name = "dsp"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["dsp.irdl.mlir"]
config.test_source_root = os.path.dirname(__file__)
crate = os.path.dirname(config.test_source_root)
tools = os.environ.get("TOOLS", os.path.join(crate, "target", "release"))
config.test_exec_root = os.path.join(tools, "lit-dsp")
sinter = os.environ.get("SINTER_BIN_DIR", tools)
llvm = os.environ.get("LLVM_BIN_DIR", "/usr/lib/llvm-22/bin")
config.environment["PATH"] = os.pathsep.join([tools, sinter, llvm, os.environ.get("PATH", "")])
plugin = os.path.join(tools, "libdsp.so")
config.substitutions.append(("%plugin", f"--load-dialect-plugin={plugin} --load-pass-plugin={plugin}"))
if os.path.exists(os.path.join(sinter, "sinter-opt")):
    config.available_features.add("sinter-opt")
