// attack: report
// expect: refused
// A static constructor sends messages as if the worker did: that it is loaded, and answers to later orders.
#include "utils.h"

static const bool said = [] {
    say("{\"loaded\": true}");
    for (int i = 0; i < 20; i++)
        say("{\"done\": true}");
    return true;
}();

void custom_kernel(In, In, Out) {}
