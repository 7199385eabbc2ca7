// What a conv2d kernel in C++ defines.
#ifndef CONV2D_TASK_H
#define CONV2D_TASK_H

#include <kernelbot.h>

// x: float32 images (batch, channels, size, size). w: filters (channels, channels, kernelsize, kernelsize). y: the
// convolution (batch, channels, size - kernelsize + 1, size - kernelsize + 1). All are contiguous.
void custom_kernel(kernelbot::Tensor<const float, 4> x, kernelbot::Tensor<const float, 4> w,
                   kernelbot::Tensor<float, 4> y);

#endif
