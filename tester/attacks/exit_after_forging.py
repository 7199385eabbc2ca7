# attack: report
# expect: refused
"""Prints that everything passed, and exits with code 0 before anything can be checked."""

import os

print("check: pass", flush=True)
os._exit(0)
