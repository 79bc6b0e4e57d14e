import os

import sinter_lit

config.test_source_root = os.path.dirname(__file__)
sinter_lit.configure(config, lit_config, "suite", output=os.path.join(os.path.dirname(__file__), "out"))
