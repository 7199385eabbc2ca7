# attack: answer
# expect: refused
"""Makes the output buffer empty, so that there is nothing to compare."""


def custom_kernel(data):
    return data[2].resize_(0)
