// What a sort kernel in C++ defines.
#ifndef SORT_TASK_H
#define SORT_TASK_H

#include <kernelbot.h>

// x: a float32 vector. y: its elements in ascending order, of the same length.
void custom_kernel(kernelbot::Tensor<const float> x, kernelbot::Tensor<float> y);

#endif
