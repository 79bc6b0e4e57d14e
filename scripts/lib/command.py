"""Runs the commands that the scripts measure with."""

import os
import subprocess
import sys


def told(done):
    """Why a command failed: its first line with an error, else its last line."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    error = next((line for line in lines if line.startswith("error:")), lines[-1] if lines else None)
    if error is None:
        return f"ended by signal {-done.returncode}" if done.returncode < 0 else f"no message, exit status {done.returncode}"
    return error.removeprefix("error:").strip()


def output(*command):
    """What a command prints; where it fails, the script ends with what the command told."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {' '.join(command[:2])} failed: {told(done)}")
    return done.stdout
