"""What the machine at hand allows: the multiply-add peak and the bandwidth of each level, as `sinter calibrate` measures them
with loops of Sinter's own."""

import os
import sys
import tomllib

from command import output


class Machine:
    """Measured with so many threads, in this run."""

    def __init__(self, sinter, threads):
        text = output(sinter, "calibrate", "--threads", str(threads))
        rate = "gbps" if threads == 1 else "gbps_all"
        self.threads = threads
        try:
            device = tomllib.loads(text)
            self.gflops = device["vector"]["fma_gflops"] * threads
            memory = next(space for space in device["space"] if space["name"] == "gm")
            self.levels = [(level["footprint_bytes"], level[rate]) for level in memory["levels"]]
        except (tomllib.TOMLDecodeError, KeyError, StopIteration):
            sys.exit(f"{os.path.basename(sys.argv[0])}: {sinter} calibrate prints no device file of a CPU: build sinter anew")

    def gbps(self, footprint):
        """GB/s of what touches so many bytes; beyond the last level that of the last."""
        return next((rate for most, rate in self.levels if footprint <= most), self.levels[-1][1])

    def us(self, flops, moved):
        """Least microseconds of so many operations and bytes moved, each byte once."""
        return max(flops / self.gflops, moved / self.gbps(moved)) / 1e3

    def __str__(self):
        rates = ", ".join(f"{rate:.0f} up to {most / 2**20:.3g} MiB" for most, rate in self.levels)
        plural = "s" if self.threads > 1 else ""
        return f"{self.threads} thread{plural}: {self.gflops:.0f} GFLOP/s of multiply-adds; GB/s: {rates}"
