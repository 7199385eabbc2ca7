// Worker: the calls of the function, from the judge's order to the signal of completion. In C, so that the way in and out
// costs an honest submission no more than one that takes a shorter way.
#include "channel.h"

#include <stddef.h>

// Python's stable ABI, declared here since its headers are often not installed. The process is always a Python.
typedef struct python_object PyObject;
extern PyObject *PyObject_CallFunctionObjArgs(PyObject *callable, ...);
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *state);
extern void Py_IncRef(PyObject *object);
extern void Py_DecRef(PyObject *object);
extern char _Py_NoneStruct[];

int32_t kb_await_order(struct channel *c, uint32_t number);
void kb_say_done(struct channel *c, uint32_t number, uint32_t failed);

// A call that orders can name: the function, its argument, and its only output buffer (or NULL). References are the
// caller's.
struct bound_call {
    PyObject *function, *argument, *buffer;
};

// Serves orders while they are calls that return None or the only buffer. Counts `number` up with each order. Returns
// what the last call returned (NULL with an exception set where it raised), and the call in `binding`; None with a
// negative binding where the order is to read a message, or, where `calls` is NULL, for every order.
PyObject *kb_serve(struct channel *c, uint32_t *number, const struct bound_call *calls, int32_t *binding)
{
    for (;;) {
        ++*number;
        void *state = PyEval_SaveThread();
        *binding = kb_await_order(c, *number);
        PyEval_RestoreThread(state);
        PyObject *none = (PyObject *)_Py_NoneStruct;
        if (*binding < 0 || calls == NULL) {
            Py_IncRef(none);
            return none;
        }
        const struct bound_call *call = &calls[*binding];
        PyObject *result = PyObject_CallFunctionObjArgs(call->function, call->argument, NULL);
        if (result == NULL || (result != none && result != call->buffer))
            return result;
        kb_say_done(c, *number, 0);
        Py_DecRef(result);
    }
}
