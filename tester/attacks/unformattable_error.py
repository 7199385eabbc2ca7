# attack: report
# expect: refused
"""Raises an error whose formatting raises, so that reporting it fails."""


class Silent(Exception):
    def __str__(self):
        raise SystemExit(0)

    __repr__ = __str__


def custom_kernel(data):
    raise Silent
