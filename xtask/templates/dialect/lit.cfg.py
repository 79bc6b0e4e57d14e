"""lit configuration: run the tests with Sinter's sinter-lit; TOOLS names the folder of this crate's tools."""

import os

import sinter_lit

config.test_source_root = os.path.dirname(__file__)
crate = os.path.dirname(config.test_source_root)
os.environ.setdefault("TOOLS", os.path.join(crate, "target", "release"))
sinter_lit.configure(config, lit_config, "@kebab@", required=("@kebab@-opt", "FileCheck"))
