// What an RMS normalization kernel in C++ defines.
#pragma once

#include <kernelbot.h>

// x: the matrix, row by row. w: the weights of its columns. y: the output buffer, in the shape of x.
void custom_kernel(kernelbot::Tensor<const float, 2> x, kernelbot::Tensor<const float> w,
                   kernelbot::Tensor<float, 2> y);
