# attack: judge
# expect: refused
"""Attaches to its parent as a debugger does."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def custom_kernel(data):
    for process in (os.getppid(), 1, 2, 3):
        libc.ptrace(16, process, 0, 0)
        libc.process_vm_writev(process, 0, 0, 0, 0, 0)
