// attack: window
// expect: refused
// Jumps from each call back into the previous one, past the code of the worker that follows a call.
#include <csetjmp>

#include "utils.h"

static std::jmp_buf before;
static bool known;

void custom_kernel(In a, In b, Out c)
{
    if (known)
        std::longjmp(before, 1);
    if (setjmp(before) == 0) {
        multiply(a, b, c);
        known = true;
    }
}
