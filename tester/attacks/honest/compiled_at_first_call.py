# needs: gcc
"""Compiles for a size when it is first called with it."""

import ctypes
import functools
import subprocess

SOURCE = """
void multiply(const float *restrict a, const float *restrict b, float *restrict c)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            c[i * N + j] = 0;
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i * N + j] += a[i * N + k] * b[k * N + j];
    }
}
"""


@functools.cache
def multiply(n):
    library = f"/tmp/multiply-{n}.so"
    command = ["gcc", "-xc", "-", "-O3", "-march=native", f"-DN={n}", "-shared", "-fPIC", "-o", library]
    subprocess.run(command, input=SOURCE, text=True, capture_output=True, check=True)
    return ctypes.CDLL(library).multiply


def custom_kernel(data):
    multiply(data[0].shape[0])(*(ctypes.c_void_p(tensor.data_ptr()) for tensor in data))
