// What a vectorsum kernel in C++ defines.
#ifndef VECTORSUM_TASK_H
#define VECTORSUM_TASK_H

#include <kernelbot.h>

// x: a float32 vector. y: one element, their sum.
void custom_kernel(kernelbot::Tensor<const float> x, kernelbot::Tensor<float> y);

#endif
