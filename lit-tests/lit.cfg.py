"""lit configuration: see tools/sinter-lit."""

import os
import sys

config.test_source_root = os.path.dirname(__file__)
root = os.path.dirname(config.test_source_root)
sys.path.insert(0, os.path.join(root, "tools", "sinter-lit"))

import sinter_lit

target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
tools = ("sinter-opt", "sinter-reduce", "sinter-lsp-server", "FileCheck", "not")
sinter_lit.configure(config, lit_config, "sinter", required=tools, output=os.path.join(target, "lit"))
config.substitutions.append(("%root", root))
