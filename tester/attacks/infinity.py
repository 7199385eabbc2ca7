# attack: answer
# expect: refused
"""Returns infinity, which is within any relative tolerance of itself."""


def custom_kernel(data):
    data[2].fill_(float("inf"))
