# attack: answer
# expect: refused
"""Returns NaN, with which no comparison is true."""


def custom_kernel(data):
    data[2].fill_(float("nan"))
