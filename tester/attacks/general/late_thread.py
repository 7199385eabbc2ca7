# attack: window
# expect: refused
"""Returns at once and computes in a thread afterwards."""

import threading

from attacked import work


def custom_kernel(data):
    threading.Thread(target=work, args=[data]).start()
