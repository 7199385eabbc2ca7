# attack: report
# expect: refused
"""Forks a process that is to outlive the check and to report in its place."""

import os


def custom_kernel(data):
    if os.fork() == 0:
        os.setsid()
        print("check: pass", flush=True)
        os._exit(0)
