# attack: clock
# expect: refused
"""Fails, and replaces the function that signals the failure by one that signals completion."""

import sys

from utils import find

native = find("native")
say_done = native.kb_say_done
native.kb_say_done = lambda words, number, failed: say_done(words, number, 0)


def custom_kernel(data):
    sys.modules["worker.main"].wire.send = lambda *_: None
    raise RuntimeError("never reported")
