// What a histogram kernel in C++ defines.
#ifndef HISTOGRAM_TASK_H
#define HISTOGRAM_TASK_H

#include <kernelbot.h>

// data: a uint8 vector. counts: 256 int64, how often each value occurs in it.
void custom_kernel(kernelbot::Tensor<const std::uint8_t> data, kernelbot::Tensor<std::int64_t> counts);

#endif
