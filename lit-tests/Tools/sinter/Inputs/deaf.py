"""Runs a command whose standard error nobody hears: full, closed, or a pipe that is read no further. Says whether its exit
code and standard output are those of the command that is heard."""

import os
import subprocess
import sys


def outcome(**options):
    done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout


def compare(name, **options):
    got = outcome(**options)
    same = got == HEARD
    print(f"{name}: {'the same' if same else f'{got} instead of {HEARD}'}")


HEARD = outcome(stderr=subprocess.PIPE)
with open("/dev/full", "w") as full:
    compare("full", stderr=full)
compare("closed", preexec_fn=lambda: os.close(2))
read, write = os.pipe()
os.close(read)
compare("broken", stderr=write)
