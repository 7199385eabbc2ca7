"""`python3 -m kernelbot_tester.kernelbench inspect DIR --out FILE`."""

from __future__ import annotations

import argparse
import sys

from .options import InspectOptions


def main() -> int:
    """Parses the arguments and runs the command. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="kernelbot_tester.kernelbench", description="Suites of KernelBench.")
    commands = parser.add_subparsers(dest="command", required=True)
    inspecting = commands.add_parser("inspect", help="run the model of each problem of a checkout, and write a suite")
    inspecting.add_argument("folder", help="the checkout, which has KernelBench/level1 and so on")
    inspecting.add_argument("--out", required=True, help="file to write; FILE.known next to it lets an interrupted inspection resume")
    inspecting.add_argument("--name", default="kernelbench", help="the suite's name")
    inspecting.add_argument("--origin", help="origin of the checkout (default: Git's remote URL and commit)")
    inspecting.add_argument("--target", action="append", help="target on which kernels can be evaluated, such as H100; may be repeated (default: cpu)")
    inspecting.add_argument("--smoke", action="store_true", help="reduce sizes until each model is fast on a CPU")
    inspecting.add_argument("--precision", choices=("fp32", "fp16", "bf16"), default="fp32")
    inspecting.add_argument("--jobs", type=int, default=1, help="number of problems inspected at a time (default: 1)")
    inspecting.add_argument("--only", action="append", default=[], metavar="1/19", help="inspect only this problem; may be repeated")
    inspecting.add_argument("--unsafe-no-sandbox", action="store_true", help="run models with the rights of this process")
    options = parser.parse_args(namespace=InspectOptions())
    from .inspect_suite import inspect  # imports PyTorch

    return inspect(options)


if __name__ == "__main__":
    sys.exit(main())
