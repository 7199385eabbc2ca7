// expect: wrong_result
// Sorts the bits as integers, which reverses the order of negative numbers.
#include <algorithm>
#include <cstring>
#include <vector>

#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float> x, Tensor<float> y)
{
    std::vector<std::int32_t> keys(static_cast<std::size_t>(x.size()));
    std::memcpy(keys.data(), x.data(), keys.size() * sizeof(float));
    std::sort(keys.begin(), keys.end());
    std::memcpy(y.data(), keys.data(), keys.size() * sizeof(float));
}
