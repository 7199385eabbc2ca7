"""Returns a list of one tensor."""


def custom_kernel(data):
    return [data[0].matmul(data[1])]
