/* A function that Python calls: its address and where each argument goes. Its `method` is a C
 * callable that takes float64 arrays of the right shape straight in. Everything else (dicts, lists,
 * wrong shapes, batches) goes to the friendly road: a Python callable with the same arguments.
 *
 * The arrays of a Call are used with Python's lock held, and nothing in between runs Python: so any
 * number of threads may call. The parameter block is copied in when another one is given.
 *
 * A method of a system follows its settings: when what its `present` holds is no longer the setting
 * that its blocks were computed for, it takes the friendly road, on which it's told the new one. */
#ifndef TOUCHBACK_CALL_H
#define TOUCHBACK_CALL_H

#include "calls/abi.h"
#include "python/numpy.h"

enum { MOST_ARGUMENTS = 10, MOST_DIMENSIONS = 3 };

typedef enum {
    ARRAY,
    NUMBER,
    ABSENT,
    OUT,
    BLOCK,
    KINDS
} kind; /* as system/method_dispatch.py numbers them */

typedef struct argument {
    PyObject *name;
    kind kind;
    long place, size; /* in [x, u] */
    int required;     /* not None, else another way is taken */
} argument;

typedef struct Call {
    PyObject_HEAD tb_function function;
    const void *context;
    double *memory, *defaults, *x, *u, *p, *out, *work;
    long given; /* doubles of [x, u] */
    long block_size;
    PyObject *block; /* whose numbers are in p */
    long first, width, out_size;
    long refusal; /* the output that isn't 0 where the function has no answer, or -1 */
    int dimensions;
    npy_intp shape[MOST_DIMENSIONS];
    long count, needed; /* the first so many may be None, but not left out */
    argument arguments[MOST_ARGUMENTS];
    PyObject *otherwise, *friendly, *owner;
    PyObject *present, *setting,
        *first_call; /* of a method: a list of one, what was there, what it calls */
    PyMethodDef definition;
    char *name, *doc;
} Call;

/* The method itself (METH_FASTCALL | METH_KEYWORDS). */
PyObject *tb_call_function(PyObject *self, PyObject *const *from, Py_ssize_t count,
                           PyObject *names);
/* Copies a parameter block in; 0, without an exception, where it doesn't fit. */
int tb_take_block(Call *call, PyObject *block);
/* The type of all Calls (make_call.c). */
extern PyType_Spec tb_call_type;

#endif
