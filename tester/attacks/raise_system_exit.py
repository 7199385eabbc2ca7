# attack: report
# expect: refused
"""Ends the kernel with SystemExit(0), in case a clean exit counts as success."""

import sys


def custom_kernel(data):
    sys.exit(0)
