// x: a float32 vector. out: its double, of the same length.
#include <kernelbot.h>

void custom_kernel(kernelbot::Tensor<const float> x, kernelbot::Tensor<float> out);
