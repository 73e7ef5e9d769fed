#include "python/call.h"

#include <string.h>

int tb_take_block(Call *call, PyObject *block) {
    const npy_intp size = call->block_size;
    if (!tb_fits(block, 1, &size))
        return 0;
    memcpy(call->p, PyArray_DATA((PyArrayObject *)block), (size_t)size * sizeof(double));
    PyObject *before = call->block;
    Py_INCREF(block);
    call->block = block;
    Py_XDECREF(before);
    return 1;
}

/* Sorts positional and named arguments into places; 0 where Python itself would object. */
static int sort_arguments(const Call *call, PyObject *const *from, Py_ssize_t count,
                          PyObject *names, PyObject **given) {
    if (count > call->count)
        return 0;
    for (Py_ssize_t i = 0; i < call->count; i++)
        given[i] = i < count ? from[i] : NULL;
    Py_ssize_t named = names ? PyTuple_Size(names) : 0, found = count;
    for (Py_ssize_t k = 0; k < named; k++) {
        PyObject *name = PyTuple_GetItem(names, k);
        long i = 0;
        while (i < call->count && call->arguments[i].name != name)
            i++;
        for (long j = 0; i == call->count && j < call->count; j++)
            if (PyUnicode_Compare(call->arguments[j].name, name) == 0)
                i = j;
        if (i == call->count || i < count || given[i])
            return 0;
        given[i] = from[count + k];
        found += i < call->needed;
    }
    return found >= call->needed;
}

/* Reads the arguments into the call's memory; 0 where they need the friendly road. */
static int read_arguments(Call *call, PyObject **given, PyObject **result) {
    *result = NULL;
    for (long i = 0; i < call->count; i++) {
        const argument *own = &call->arguments[i];
        PyObject *object = given[i];
        double *to = call->memory + own->place;
        const npy_intp size = own->size;
        if (!object || object == Py_None) {
            if (own->required || (object && own->kind == NUMBER))
                return 0; /* None stands for the usual numbers, but for no time */
            for (long k = 0; k < size; k++)
                to[k] = call->defaults[own->place + k];
        } else if (own->kind == ARRAY) {
            if (!tb_fits(object, 1, &size))
                return 0;
            const double *from = PyArray_DATA((PyArrayObject *)object);
            for (long k = 0; k < size; k++)
                to[k] = from[k];
        } else if (own->kind == NUMBER) {
            if (!PyFloat_CheckExact(object))
                return 0;
            *to = PyFloat_AsDouble(object);
        } else if (own->kind == OUT) {
            if (!tb_fits(object, call->dimensions, call->shape) ||
                !PyArray_ISWRITEABLE((PyArrayObject *)object))
                return 0;
            *result = object;
        } else if (own->kind == BLOCK) {
            if (object != call->block && !tb_take_block(call, object))
                return 0;
        } else
            return 0; /* ABSENT */
    }
    return 1;
}

/* NULL without an exception where the function refuses. */
static PyObject *run(Call *call, PyObject *result) {
    if (result)
        Py_INCREF(result);
    else if (!(result = PyArray_SimpleNew(call->dimensions, call->shape, NPY_DOUBLE)))
        return NULL;
    double *to = PyArray_DATA((PyArrayObject *)result);
    if (call->width == call->out_size) {
        call->function(call->x, call->u, call->p, to, call->work, call->context);
        return result;
    }
    call->function(call->x, call->u, call->p, call->out, call->work, call->context);
    if (call->refusal >= 0 && call->out[call->refusal] != 0.0) {
        Py_DECREF(result);
        return NULL;
    }
    for (long k = 0; k < call->width; k++)
        to[k] = call->out[call->first + k];
    return result;
}

static PyObject *take_friendly_road(const Call *call, PyObject *const *from, Py_ssize_t count,
                                    PyObject *names) {
    PyObject *positional = call->friendly ? PyTuple_New(count) : NULL;
    PyObject *named = NULL, *result = NULL;
    if (!positional)
        return call->friendly ? NULL : PyErr_Format(PyExc_ReferenceError, "%s is gone", call->name);
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_INCREF(from[i]);
        PyTuple_SetItem(positional, i, from[i]);
    }
    if (names && !(named = PyDict_New()))
        goto end;
    for (Py_ssize_t k = 0; names && k < PyTuple_Size(names); k++)
        if (PyDict_SetItem(named, PyTuple_GetItem(names, k), from[count + k]))
            goto end;
    result = PyObject_Call(call->friendly, positional, named);
end:
    Py_DECREF(positional);
    Py_XDECREF(named);
    return result;
}

/* What is called as things are set now; NULL where that isn't known. */
static Call *first_of(Call *call) {
    if (!call->present)
        return call;
    return PyList_GetItem(call->present, 0) == call->setting ? (Call *)call->first_call : NULL;
}

PyObject *tb_call_function(PyObject *self, PyObject *const *from, Py_ssize_t count,
                           PyObject *names) {
    Call *call = (Call *)self;
    PyObject *given[MOST_ARGUMENTS], *result;
    if (sort_arguments(call, from, count, names, given))
        for (Call *taken = first_of(call); taken; taken = (Call *)taken->otherwise)
            if (read_arguments(taken, given, &result)) {
                PyObject *found = run(taken, result);
                if (found || PyErr_Occurred())
                    return found;
                break;
            }
    return take_friendly_road(call, from, count, names);
}
