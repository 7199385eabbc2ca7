"""Is wrapped by decorators that time and count it for itself."""

import functools
import time


def counted(function):
    @functools.wraps(function)
    def wrapper(data):
        started = time.perf_counter()
        result = function(data)
        wrapper.times.append(time.perf_counter() - started)
        return result
    wrapper.times = []
    return wrapper


@counted
def custom_kernel(data):
    return data[0] @ data[1]
