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
from .rows import Figure, Row, table


def main() -> int:
    """Parses the arguments and qualifies. Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m kernelbot_tester.qualify",
        description="Says whether this machine may rank: judges kernels of which the answer is known. Leave it alone meanwhile.",
        epilog="Exits with 0 where all that was looked at is well, with 1 where a check is not well or was not run in the time, "
        "with 130 at Ctrl-C, which leaves no process. Progress goes to the standard error.",
    )
    parser.add_argument("--json", action="store_true", help="a JSON document instead of a table")
    parser.add_argument("--device", choices=["cpu", "cuda"], help="what kernels will run on; the accelerator if there is one")
    only = f"some checks only, which qualifies nothing; of {', '.join(CHECKS)}"
    parser.add_argument("--only", default=",".join(CHECKS), metavar="CHECK,...", help=only)
    minutes = "the time for all of it, 8 if not given; what does not fit is not run"
    parser.add_argument("--minutes", type=float, default=8, metavar="N", help=minutes)
    options = parser.parse_args()
    names = [name for name in CHECKS if name in options.only.split(",")]
    unknown = set(options.only.split(",")) - set(CHECKS)
    if unknown:
        parser.error(f"there is no check {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")
    if not 1 <= options.minutes <= 120:
        parser.error(f"--minutes {options.minutes:g}: give a number from 1 to 120")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        found = qualify_device(options.device, names, options.minutes)
    except KeyboardInterrupt:
        print("stopped; nothing of it runs any more", file=sys.stderr)
        return 130
    print(json.dumps(found) if options.json else text(found))
    return 0 if found["ok"] else 1


def qualify_device(device: Literal["cpu", "cuda"] | None, names: list[str], minutes: float) -> Qualification:
    """Qualifies the accelerator if there is one, unless the processor is requested."""
    try:
        accelerator = None if device == "cpu" else find_accelerator()
    except NoAccelerator as error:
        if device is not None:
            rows = [Row("accelerators", False, str(error), "Or qualify the processor: --device cpu")]
            return document(rows, False, device, verdict(rows, False, "accelerator"))
        accelerator = None
    return qualify(accelerator, names, minutes)


def text(found: Qualification) -> str:
    """Formats the result as a table."""
    rows = [
        Row(**{**check, "figures": [Figure(**figure) for figure in check["figures"]]}) for check in found["checks"]
    ]
    return "\n".join([*table(rows), "", f"{found['verdict']} ({found['device']}, {found['tookS']:.0f} s)"])


if __name__ == "__main__":
    sys.exit(main())
