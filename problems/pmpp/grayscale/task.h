// What a grayscale kernel in C++ defines.
#ifndef GRAYSCALE_TASK_H
#define GRAYSCALE_TASK_H

#include <kernelbot.h>

// rgb: a float32 image (height, width, 3), contiguous. y: its luma (height, width).
void custom_kernel(kernelbot::Tensor<const float, 3> rgb, kernelbot::Tensor<float, 2> y);

#endif
