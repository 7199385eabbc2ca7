// What a qr kernel in C++ defines.
#ifndef QR_TASK_H
#define QR_TASK_H

#include <kernelbot.h>

// a: float32 matrices (batch, n, n). q, r: their factors (batch, n, n). All are contiguous.
void custom_kernel(kernelbot::Tensor<const float, 3> a, kernelbot::Tensor<float, 3> q, kernelbot::Tensor<float, 3> r);

#endif
