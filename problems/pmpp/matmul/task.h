// What a matmul kernel in C++ defines.
#ifndef MATMUL_TASK_H
#define MATMUL_TASK_H

#include <kernelbot.h>

// a: a float32 matrix (m, k). b: (k, n). c: their product (m, n). All are contiguous, row by row.
void custom_kernel(kernelbot::Tensor<const float, 2> a, kernelbot::Tensor<const float, 2> b,
                   kernelbot::Tensor<float, 2> c);

#endif
