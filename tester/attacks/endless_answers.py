# attack: report
# expect: refused
"""A thread speaks to the judge without end, to drown what the worker would say."""

import threading

from utils import find, say

sock = find("sock")


def babble():
    while True:
        say(sock, '{"done": true}')


threading.Thread(target=babble, daemon=True).start()


def custom_kernel(data):
    pass
