// What a cholesky kernel in C++ defines.
#ifndef CHOLESKY_TASK_H
#define CHOLESKY_TASK_H

#include <kernelbot.h>

// a: float32 symmetric positive definite matrices (batch, n, n). l: their factors (batch, n, n). Both are contiguous.
void custom_kernel(kernelbot::Tensor<const float, 3> a, kernelbot::Tensor<float, 3> l);

#endif
