# attack: report
# expect: refused
"""Sends a number of half a million digits, which a naive parser needs minutes to read."""

from utils import find, say

say(find("sock"), "9" * 500_000)


def custom_kernel(data):
    pass
