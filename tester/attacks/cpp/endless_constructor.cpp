// attack: limits
// expect: refused
// A static constructor never ends.
#include "utils.h"

static volatile bool forever = true;
static const bool ended = [] {
    while (forever)
        ;
    return true;
}();

void custom_kernel(In, In, Out) {}
