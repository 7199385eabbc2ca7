"""`python3 -m kernelbot_tester.kernelbench inspect DIR --out FILE`."""

from __future__ import annotations

import argparse
import sys


def main() -> int:
    """Parses the arguments and runs the command. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="kernelbot_tester.kernelbench", description="Suites of KernelBench.")
    commands = parser.add_subparsers(dest="command", required=True)
    inspecting = commands.add_parser("inspect", help="run the model of each problem of a checkout, and write a suite")
    inspecting.add_argument("folder", help="the checkout, which has KernelBench/level1 and so on")
    inspecting.add_argument("--out", required=True, help="where the suite is written; FILE.known beside it lets the next go on")
    inspecting.add_argument("--name", default="kernelbench", help="the suite's name")
    inspecting.add_argument("--origin", help="where the checkout came from; what Git knows if not given")
    inspecting.add_argument("--target", action="append", help="where kernels can be evaluated, as H100; cpu if not given")
    inspecting.add_argument("--smoke", action="store_true", help="make sizes small enough for a processor")
    inspecting.add_argument("--precision", choices=("fp32", "fp16", "bf16"), default="fp32")
    inspecting.add_argument("--jobs", type=int, default=1, help="problems at once")
    inspecting.add_argument("--only", action="append", default=[], metavar="1/19", help="this problem; may be repeated")
    inspecting.add_argument("--unsafe-no-sandbox", action="store_true", help="run models with all your rights")
    options = parser.parse_args()
    from .inspect_suite import inspect  # imports PyTorch

    return inspect(options)


if __name__ == "__main__":
    sys.exit(main())
