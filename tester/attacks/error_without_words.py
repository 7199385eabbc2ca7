# attack: report
# expect: refused
"""Raises an error that raises when it is shown, so that whoever reports it stumbles."""


class Silent(Exception):
    def __str__(self):
        raise SystemExit(0)

    __repr__ = __str__


def custom_kernel(data):
    raise Silent
