"""The command line of the qualification."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from typing import Literal

from ..device.find import NoAccelerator, find_accelerator
from ..messages import Qualification
from .qualify import CHECKS, document, qualify, verdict
from .figures import Figure, Row, table


def main() -> int:
    """Parses the arguments and qualifies. Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m kernelbot_tester.qualify",
        description="Qualify this machine for ranking by judging kernels with known results. Do not use the machine meanwhile.",
        epilog="Exits with 0 if all checks passed, with 1 if a check failed or was not run in time, "
        "and with 130 after Ctrl-C, which leaves no process behind. Progress is on standard error.",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON document instead of a table")
    parser.add_argument("--device", choices=["cpu", "cuda"], help="device of the kernels (default: the accelerator, if present)")
    only = f"run only these checks, which does not qualify the machine; of {', '.join(CHECKS)}"
    parser.add_argument("--only", default=",".join(CHECKS), metavar="CHECK,...", help=only)
    minutes = "time limit in minutes (default 8); checks that do not fit are not run"
    parser.add_argument("--minutes", type=float, default=8, metavar="N", help=minutes)
    options = parser.parse_args()
    names = [name for name in CHECKS if name in options.only.split(",")]
    unknown = set(options.only.split(",")) - set(CHECKS)
    if unknown:
        parser.error(f"unknown check {', '.join(sorted(unknown))}; use {', '.join(CHECKS)}")
    if not 1 <= options.minutes <= 120:
        parser.error(f"--minutes {options.minutes:g}: use a number from 1 to 120")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        found = qualify_device(options.device, names, options.minutes)
    except KeyboardInterrupt:
        print("interrupted; no process is left running", file=sys.stderr)
        return 130
    print(json.dumps(found) if options.json else text(found))
    return 0 if found["ok"] else 1


def qualify_device(device: Literal["cpu", "cuda"] | None, names: list[str], minutes: float) -> Qualification:
    """Qualifies the accelerator if there is one, unless the processor is requested."""
    try:
        accelerator = None if device == "cpu" else find_accelerator()
    except NoAccelerator as error:
        if device is not None:
            rows = [Row("accelerators", False, str(error), "Qualify the CPU instead: --device cpu")]
            return document(rows, False, device, verdict(rows, False, "accelerator"))
        accelerator = None
    return qualify(accelerator, names, minutes)


def text(found: Qualification) -> str:
    """Formats the result as a table."""
    rows = [
        Row(check["name"], check["ok"], check["detail"], check["fix"], [Figure(**figure) for figure in check["figures"]])
        for check in found["checks"]
    ]
    return "\n".join([*table(rows), "", f"{found['verdict']} ({found['device']}, {found['tookS']:.0f} s)"])


if __name__ == "__main__":
    sys.exit(main())
