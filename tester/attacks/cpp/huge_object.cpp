// attack: limits
// expect: not built
// Makes the compiler write an object larger than its disk.
#include "utils.h"

asm(".data\n.fill 2000000000, 1, 7\n.previous");

void custom_kernel(In, In, Out) {}
