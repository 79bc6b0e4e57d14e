"""Runs the commands that the scripts measure with."""

import os
import subprocess
import sys


def output(*command):
    """What a command prints; where it fails, the script ends with the command's last line."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip() or "no message").splitlines()[-1]
        sys.exit(f"{os.path.basename(sys.argv[0])}: {' '.join(command[:2])} failed: {said}")
    return done.stdout
