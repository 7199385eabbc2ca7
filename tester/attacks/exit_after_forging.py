# attack: report
# expect: refused
"""Prints that all went well and leaves with exit code 0 before anything can be checked."""

import os

print("check: pass", flush=True)
os._exit(0)
