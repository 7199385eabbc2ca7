// What an eigh kernel in C++ defines.
#ifndef EIGH_TASK_H
#define EIGH_TASK_H

#include <kernelbot.h>

// a: float32 symmetric matrices (batch, n, n). w: eigenvalues (batch, n). v: eigenvectors, columns (batch, n, n). All
// are contiguous.
void custom_kernel(kernelbot::Tensor<const float, 3> a, kernelbot::Tensor<float, 2> w, kernelbot::Tensor<float, 3> v);

#endif
