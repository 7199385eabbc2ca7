"""Replaces the streams of the interpreter."""

import contextlib
import io


def custom_kernel(data):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        print("captured")
    assert printed.getvalue()
    return data[0] @ data[1]
