# attack: report
# expect: refused
"""Answers the judge's next hundred messages in advance, and never computes."""

from utils import find, say

say(find("sock"), '{"loaded": true}')
for _ in range(100):
    say(find("sock"), '{"done": true}')


def custom_kernel(data):
    pass
