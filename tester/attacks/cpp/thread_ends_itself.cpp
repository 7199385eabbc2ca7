// attack: window
// expect: refused
// Ends the thread that serves the judge, and leaves another one to answer.
#include <pthread.h>
#include <thread>

#include "utils.h"

void custom_kernel(In, In, Out)
{
    std::thread([page = channel()] {
        while (true)
            page->done = page->go;
    }).detach();
    pthread_exit(nullptr);
}
