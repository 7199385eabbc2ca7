// attack: report
// expect: refused
// A static constructor speaks in the worker's name: it says that it is loaded, and answers orders to come.
#include "utils.h"

static const bool said = [] {
    say("{\"loaded\": true}");
    for (int i = 0; i < 20; i++)
        say("{\"done\": true}");
    return true;
}();

void custom_kernel(In, In, Out) {}
