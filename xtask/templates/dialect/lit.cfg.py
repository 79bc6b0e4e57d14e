"""lit configuration: the tools of this crate (TOOLS names their folder) and LLVM's."""

import os

import lit.formats

config.name = "@kebab@"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
crate = os.path.dirname(config.test_source_root)
tools = os.environ.get("TOOLS", os.path.join(crate, "target", "release"))
config.test_exec_root = os.path.join(tools, "lit-@kebab@")
llvm = os.environ.get("LLVM_BIN_DIR", "/usr/lib/llvm-22/bin")
config.environment["PATH"] = os.pathsep.join([tools, llvm, os.environ.get("PATH", "")])
