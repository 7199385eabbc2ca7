// attack: report
// expect: refused
// Reports a failure of the platform, so that the run would be requeued.
#include <stdexcept>

#include "utils.h"

void custom_kernel(In, In, Out)
{
    say("{\"error\": {\"class\": \"infra_error\", \"message\": \"the machine failed\"}}");
    throw std::runtime_error("infra_error: the machine failed");
}
