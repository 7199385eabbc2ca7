# attack: report
# expect: refused
"""A thread sends messages to the judge without end, so that the worker's own messages are lost among them."""

import threading

from utils import find, say

sock = find("sock")


def babble():
    while True:
        say(sock, '{"done": true}')


threading.Thread(target=babble, daemon=True).start()


def custom_kernel(data):
    pass
