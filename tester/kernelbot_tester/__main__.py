"""The tester's command line."""

from __future__ import annotations

import argparse
import sys

from .device.find import NoAccelerator, find_accelerator


def main() -> int:
    """Parses the arguments and runs the command. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="kernelbot_tester", description="Judges kernels.")
    commands = parser.add_subparsers(dest="command", required=True)
    serving = commands.add_parser("serve", help="read jobs from standard input, write events to standard output")
    serving.add_argument(
        "--unsafe-no-sandbox", action="store_true", help="run submissions unconfined: for code that you trust"
    )
    serving.add_argument(
        "--accelerator", action="store_true", help="judge on this machine's accelerator, and refuse to start without one"
    )
    serving.add_argument(
        "--rehearse", action="store_true", help="with --accelerator: where there is none, try kernels on the processor"
    )
    serving.add_argument("--slots", type=int, default=1, help="number of testers that share this machine's memory")
    checking = commands.add_parser("doctor", help="say what this machine lacks for judging")
    checking.add_argument("--json", action="store_true", help="a JSON document instead of lines")
    checking.add_argument("--accelerator", action="store_true", help="fail without an accelerator")
    reviewing = commands.add_parser("review", help="say what in a submission a moderator should look at")
    reviewing.add_argument("file", help="the submission; - is the standard input")
    reviewing.add_argument("--json", action="store_true", help="a JSON document instead of lines")
    options = parser.parse_args()
    if options.command == "serve":
        from .judge.serve import refuse, serve

        try:
            accelerator = find_accelerator() if options.accelerator else None
        except NoAccelerator as error:
            if options.rehearse:
                return serve(not options.unsafe_no_sandbox, rehearses=str(error), slots=options.slots)
            return refuse(str(error))
        return serve(not options.unsafe_no_sandbox, accelerator, slots=options.slots)
    if options.command == "review":
        from .review.command import review_file

        return review_file(options.file, options.json)
    from .doctor.doctor import doctor

    return doctor(options.json, options.accelerator)


sys.exit(main())
