# attack: window
# expect: refused
"""Leaves the work to a finalizer that runs when the next call starts."""

from attacked import work


class Later:
    def __init__(self, data):
        self.data = data

    def __del__(self):
        work(self.data)


pending = None


def custom_kernel(data):
    global pending
    pending = Later(data)
