# attack: report
# expect: refused
"""Sends JSON that is nested deeper than a parser's stack."""

from utils import find, say

say(find("sock"), "[" * 500_000)


def custom_kernel(data):
    pass
