// What a prefixsum kernel in C++ defines.
#ifndef PREFIXSUM_TASK_H
#define PREFIXSUM_TASK_H

#include <kernelbot.h>

// x: a float32 vector. y: its running sums, of the same length.
void custom_kernel(kernelbot::Tensor<const float> x, kernelbot::Tensor<float> y);

#endif
