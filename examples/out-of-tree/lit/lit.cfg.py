"""lit configuration: run the tests with Sinter's sinter-lit; TOOLS names the folder of this crate's tools."""

import os

import sinter_lit

config.test_source_root = os.path.dirname(__file__)
crate = os.path.dirname(config.test_source_root)
os.environ.setdefault("TOOLS", os.path.join(crate, "target", "release"))
sinter_lit.configure(config, lit_config, "dsp", required=("my-opt", "FileCheck", "not"))
plugin = os.path.join(os.environ["TOOLS"], "libdsp.so")
config.substitutions.append(("%plugin", f"--load-dialect-plugin={plugin} --load-pass-plugin={plugin}"))
