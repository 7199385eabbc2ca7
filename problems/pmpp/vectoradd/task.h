// What a vectoradd kernel in C++ defines.
#ifndef VECTORADD_TASK_H
#define VECTORADD_TASK_H

#include <kernelbot.h>

// a, b: float16 vectors of one length. c: their sums, each correctly rounded.
void custom_kernel(kernelbot::Tensor<const kernelbot::half> a, kernelbot::Tensor<const kernelbot::half> b,
                   kernelbot::Tensor<kernelbot::half> c);

#endif
