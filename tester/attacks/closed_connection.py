# attack: report
# expect: refused
"""Closes the connection to the judge, so that no failure can be reported."""

from utils import find

sock = find("sock")


def custom_kernel(data):
    sock.shutdown(2)
