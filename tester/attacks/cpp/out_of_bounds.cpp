// attack: crash
// expect: refused
// Reads far outside its input.
#include "utils.h"

void custom_kernel(In a, In, Out c)
{
    float sum = 0;
    for (std::int64_t i = 0; i < (std::int64_t{1} << 40); i += 1024)
        sum += a.data()[i];
    c(0, 0) = sum;
}
