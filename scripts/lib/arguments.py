"""Arguments of the measuring scripts: what is wrong is one line, told before anything is measured."""

import argparse
import math
import os
import re
import shutil
import subprocess
import sys

import models


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, `NAME: --option: what is wrong and what is allowed`."""

    def error(self, message):
        line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in message.removeprefix("argument "))
        print(f"{self.prog}: {line}", file=sys.stderr)
        sys.exit(2)


def number(text, least):
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r}: give a whole number from {least}")
    return int(text)


def positive(text):
    return number(text, 1)


def count(text):
    return number(text, 0)


def share(text):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"{text!r}: give a number from 0")
    return value


def threads(text):
    """A number of threads that the processor runs at once: `sinter bench` takes fewer than it is told where there are fewer."""
    most = len(os.sched_getaffinity(0))
    if not re.fullmatch("[0-9]{1,9}", text) or not 1 <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r}: give 1 to {most}, as many as the processor runs at once")
    return int(text)


def listed(text, values):
    twice = next((value for at, value in enumerate(values) if value in values[:at]), None)
    if twice is not None:
        raise argparse.ArgumentTypeError(f"{text!r}: names {twice} twice")
    return values


def thread_list(text):
    """Numbers of threads, with commas between them."""
    return listed(text, [threads(part) for part in text.split(",")])


def names(allowed):
    """A type: some of these names, with commas between them; the empty text is none."""

    def parse(text):
        found = text.split(",") if text else []
        for name in found:
            if name not in allowed:
                raise argparse.ArgumentTypeError(f"{name!r}: give some of {','.join(allowed)}")
        return listed(text, found)

    return parse


def version(path):
    """What a program prints for `--version`; why it does not."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, stdin=subprocess.DEVNULL)
    except OSError as error:
        return None, f"cannot be run: {error.strerror}"
    return done.stdout.decode(errors="replace"), None


def program(text, name):
    """The path of a program of Sinter's."""
    path = shutil.which(text) if text else None
    if path is None:
        if not os.path.exists(text):
            why = "is not there"
        else:
            why = "is a folder" if os.path.isdir(text) else "is not executable"
        raise argparse.ArgumentTypeError(f"{text!r} {why}: give the file of a built `{name}` (cargo build --release)")
    said, why = version(path)
    if why is None and not said.startswith(f"{name} "):
        why = f"is no `{name}`: its --version does not say so"
    if why:
        raise argparse.ArgumentTypeError(f"{text!r} {why}: give the file of a built `{name}` (cargo build --release)")
    return path


def sinter(text):
    return program(text, "sinter")


def sinter_and_runner(text):
    """A `sinter` with its `sinter-run`, which has the same path with `-run` behind it."""
    path = program(text, "sinter")
    program(path + "-run", "sinter-run")
    return path


def file(text):
    if not os.path.isfile(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no file: give one that is there")
    return text


def folder(text):
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no folder: give one that is there")
    return text


def file_to_write(text):
    if not text or os.path.isdir(text) or not os.path.isdir(os.path.dirname(text) or "."):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written: give a file in a folder that is there")
    return text


def folder_to_write(text):
    above = os.path.abspath(text)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not text or not os.path.isdir(above):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be a folder: give one that is there or can be made")
    return text


def once(parser, option, values):
    """Refuses what an option names twice."""
    try:
        listed(" ".join(values), values)
    except argparse.ArgumentTypeError as error:
        parser.error(f"{option}: {error}")


def chosen(parser, cases, wanted, parts=False):
    """Those of some cases (title, file, shapes) whose names, without folder and .onnx, are wanted, or hold a wanted part."""
    if wanted is None:
        return cases
    known = [os.path.basename(path).removesuffix(".onnx") for _, path, _ in cases]
    fits = [{name for name in wanted if (name in one if parts else name == one)} for one in known]
    for name in wanted:
        if not any(name in fit for fit in fits):
            has = "no model's file has this in its name" if parts else "no model is called that"
            parser.error(f"--only: {name!r}: {has}: there are {', '.join(known)}")
    return [case for case, fit in zip(cases, fits) if fit]


def real_models(parser, within, wanted, parts=False):
    """The real models that are wanted (all, where nothing is said) and are there, as (title, file, shapes)."""
    found = []
    for title, name, shapes in chosen(parser, models.ALL, wanted, parts):
        path = os.path.join(within, name + ".onnx")
        if os.path.exists(path):
            found.append((title, path, shapes))
        else:
            ways = "run scripts/fetch-models --minilm and scripts/export-models --all"
            print(f"{parser.prog}: {path} is not there: {ways}", file=sys.stderr)
    if not found:
        parser.error(f"no model that is asked for is in {within!r}: nothing to measure")
    return found
