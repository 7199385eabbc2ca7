# attack: clock
# expect: refused
"""A thread signals completion of every order number, as fast as it can."""

import ctypes
import threading

from utils import find, order

words = find("words")
done = ctypes.c_uint32.from_address(words + 64)


def forge():
    while True:
        done.value = order(words)


threading.Thread(target=forge, daemon=True).start()


def custom_kernel(data):
    pass
