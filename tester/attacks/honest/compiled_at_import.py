# needs: g++
"""Compiles its C++ at import, with a compiler that it starts itself."""

import ctypes
import os
import subprocess

SOURCE = """
extern "C" void multiply(const float *a, const float *b, float *c, long n)
{
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++)
            c[i * n + j] = 0;
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}
"""
folder = os.environ["XDG_CACHE_HOME"]
library = os.path.join(folder, "multiply.so")
os.makedirs(folder, exist_ok=True)
command = ["g++", "-xc++", "-", "-O3", "-march=native", "-shared", "-fPIC", "-o", library]
subprocess.run(command, input=SOURCE, text=True, capture_output=True, check=True)
multiply = ctypes.CDLL(library).multiply


def custom_kernel(data):
    multiply(*(ctypes.c_void_p(tensor.data_ptr()) for tensor in data), ctypes.c_long(data[0].shape[0]))
