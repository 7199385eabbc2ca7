"""Uses NumPy on the memory of the tensors."""

import numpy


def custom_kernel(data):
    a, b, c = (tensor.numpy() for tensor in data)
    numpy.matmul(a, b, out=c)
