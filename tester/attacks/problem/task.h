// c = a @ b, all three of shape (size, size) and contiguous.
#ifndef TASK_H
#define TASK_H

#include <kernelbot.h>

void custom_kernel(kernelbot::Tensor<const float, 2> a, kernelbot::Tensor<const float, 2> b,
                   kernelbot::Tensor<float, 2> c);

#endif
