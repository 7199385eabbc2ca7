# attack: clock
# expect: refused
"""A thread waits for the end of another as vfork does, which SIGSTOP does not interrupt, so that the judge could not stop the
worker.
"""

import ctypes
import threading

libc = ctypes.CDLL(None)
stack = ctypes.create_string_buffer(1 << 16)
top = ctypes.c_void_p((ctypes.addressof(stack) + len(stack)) & ~63)
CLONE_VM, CLONE_SIGHAND, CLONE_VFORK, CLONE_THREAD = 0x100, 0x800, 0x4000, 0x10000


def wait():
    libc.clone(libc.pause, top, CLONE_VM | CLONE_SIGHAND | CLONE_VFORK | CLONE_THREAD, None)


threading.Thread(target=wait, daemon=True).start()


def custom_kernel(data):
    pass
