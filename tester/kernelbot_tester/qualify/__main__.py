"""The command."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from typing import Any

from ..device.find import NoAccelerator, find_accelerator
from .qualify import CHECKS, document, qualify
from .rows import Figure, Row, table


def main() -> int:
    """Parses the arguments and qualifies; gives the exit code."""
    parser = argparse.ArgumentParser(prog="kernelbot_tester.qualify", description="Says whether this machine may rank.")
    parser.add_argument("--json", action="store_true", help="a JSON document instead of a table")
    parser.add_argument("--device", choices=["cpu", "cuda"], help="what kernels will run on; the accelerator if there is one")
    parser.add_argument("--only", default=",".join(CHECKS), help=f"some checks only, of {', '.join(CHECKS)}")
    parser.add_argument("--minutes", type=float, default=8, help="the time for all of it (8)")
    options = parser.parse_args()
    names = [name for name in CHECKS if name in options.only.split(",")]
    unknown = set(options.only.split(",")) - set(CHECKS)
    if unknown:
        parser.error(f"there is no check {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")
    if not 0 < options.minutes <= 120:
        parser.error(f"--minutes {options.minutes:g}: give a number above 0, and 120 at most")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        found = qualify_device(options.device, names, options.minutes)
    except KeyboardInterrupt:
        print("stopped; nothing of it runs any more", file=sys.stderr)
        return 130
    print(json.dumps(found) if options.json else text(found))
    return 0 if found["ok"] else 1


def qualify_device(device: str | None, names: list[str], minutes: float) -> dict[str, Any]:
    """The accelerator if there is one, unless the processor is asked for."""
    try:
        accelerator = None if device == "cpu" else find_accelerator()
    except NoAccelerator as error:
        if device is not None:
            return document([Row("accelerators", False, str(error), "Or qualify the processor: --device cpu")], False, device)
        accelerator = None
    return qualify(accelerator, names, minutes)


def text(found: dict[str, Any]) -> str:
    """For a person."""
    rows = [
        Row(**{**check, "figures": [Figure(**figure) for figure in check["figures"]]}) for check in found["checks"]
    ]
    ending = "may not rank: see NOT above"
    if found["ok"]:
        ending = "may rank" if found["qualified"] else "is well as far as was looked; whether it may rank, all checks say"
    return "\n".join([*table(rows), "", f"This machine {ending} ({found['device']}, {found['tookS']:.0f} s)."])


if __name__ == "__main__":
    sys.exit(main())
