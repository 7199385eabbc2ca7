// What a causal-conv1d kernel in C++ defines.
#ifndef CAUSAL_CONV1D_TASK_H
#define CAUSAL_CONV1D_TASK_H

#include <kernelbot.h>

// x: float32 sequences (batch, dim, seqlen). w: filters (dim, width). bias: (dim). y: the convolution (batch, dim,
// seqlen). All are contiguous.
void custom_kernel(kernelbot::Tensor<const float, 3> x, kernelbot::Tensor<const float, 2> w,
                   kernelbot::Tensor<const float> bias, kernelbot::Tensor<float, 3> y);

#endif
