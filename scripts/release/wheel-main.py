"""The runner of KernelBot: claims runs, judges them on this machine and reports the results."""

import os
import sys


def main() -> None:
    """Runs the program of this package in place of this process, with this interpreter for the judge unless
    KERNELBOT_PYTHON names another."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "kernelbot-runner")
    os.execve(program, [program, *sys.argv[1:]], {"KERNELBOT_PYTHON": sys.executable, **os.environ})


if __name__ == "__main__":
    main()
