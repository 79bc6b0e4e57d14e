"""Runs a command whose standard output is read no further, and one whose standard output is a full disk. Says how they ended."""

import os
import subprocess
import sys


def ended(stdout):
    return subprocess.run(sys.argv[1:], stdout=stdout, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


read, write = os.pipe()
os.close(read)
left = ended(write)
said = left.stderr.decode().strip() or "nothing"
with open("/dev/full", "w") as full:
    code = ended(full).returncode
print(f"exit code {left.returncode}, said {said}; of a full disk: {'a failure' if code > 0 else code}")
