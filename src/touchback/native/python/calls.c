/* Calls of compiled functions from Python. A `Call` knows a function's address and where each
 * argument goes; its `method` is a C callable that takes float64 arrays of the right shape straight
 * in. Everything else (dicts, lists, wrong shapes, batches) goes to the friendly road: a Python
 * callable with the same arguments.
 *
 * The arrays of a Call are used with Python's lock held, and nothing in between runs Python: so any
 * number of threads may call. `rows` lets go of the lock; it has memory of its own. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#include <numpy/arrayobject.h>

#include <stdlib.h>
#include <string.h>

#include "python/rows.h"

enum { MOST_ARGUMENTS = 10, MOST_DIMENSIONS = 2, ALIGNMENT = 64 };

typedef enum { ARRAY, NUMBER, ABSENT, OUT, KINDS } kind; /* as native/calls.py numbers them */

typedef struct argument {
    PyObject *name;
    kind kind;
    long place, size; /* in [x, u] */
    int required;
} argument;

typedef struct Call {
    PyObject_HEAD
    tb_function function;
    const void *context;
    double *memory, *defaults, *x, *u, *p, *out, *work;
    long given; /* doubles of [x, u] */
    long first, width, out_size;
    long refusal; /* the output that isn't 0 where the function has no answer, or -1 */
    int dimensions;
    npy_intp shape[MOST_DIMENSIONS];
    long count;
    argument arguments[MOST_ARGUMENTS];
    PyObject *otherwise, *friendly, *owner;
    PyMethodDef definition;
    char *name, *doc;
} Call;

static int fits(PyObject *object, int dimensions, const npy_intp *shape) {
    PyArrayObject *array = (PyArrayObject *)object;
    if (Py_TYPE(object) != &PyArray_Type || PyArray_TYPE(array) != NPY_DOUBLE ||
        !PyArray_ISCARRAY_RO(array) || PyArray_NDIM(array) != dimensions)
        return 0;
    for (int i = 0; i < dimensions; i++)
        if (PyArray_DIM(array, i) != shape[i])
            return 0;
    return 1;
}

/* Sorts positional and named arguments into places; 0 where Python itself would object. */
static int sort_arguments(const Call *call, PyObject *const *from, Py_ssize_t count,
                          PyObject *names, PyObject **given) {
    if (count > call->count)
        return 0;
    for (Py_ssize_t i = 0; i < call->count; i++)
        given[i] = i < count && from[i] != Py_None ? from[i] : NULL;
    Py_ssize_t named = names ? PyTuple_Size(names) : 0;
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
        given[i] = from[count + k] == Py_None ? NULL : from[count + k];
    }
    return 1;
}

/* Reads the arguments into the call's memory; 0 where they need the friendly road. */
static int read_arguments(Call *call, PyObject **given, PyObject **result) {
    *result = NULL;
    for (long i = 0; i < call->count; i++) {
        const argument *own = &call->arguments[i];
        PyObject *object = given[i];
        double *to = call->memory + own->place;
        const npy_intp size = own->size;
        if (!object) {
            if (own->required)
                return 0;
            for (long k = 0; k < size; k++)
                to[k] = call->defaults[own->place + k];
        } else if (own->kind == ARRAY) {
            if (!fits(object, 1, &size))
                return 0;
            const double *from = PyArray_DATA((PyArrayObject *)object);
            for (long k = 0; k < size; k++)
                to[k] = from[k];
        } else if (own->kind == NUMBER) {
            if (!PyFloat_CheckExact(object))
                return 0;
            *to = PyFloat_AsDouble(object);
        } else if (own->kind == OUT) {
            if (!fits(object, call->dimensions, call->shape) ||
                !PyArray_ISWRITEABLE((PyArrayObject *)object))
                return 0;
            *result = object;
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

static PyObject *call_function(PyObject *self, PyObject *const *from, Py_ssize_t count,
                               PyObject *names) {
    Call *call = (Call *)self;
    PyObject *given[MOST_ARGUMENTS], *result;
    if (sort_arguments(call, from, count, names, given))
        for (Call *taken = call; taken; taken = (Call *)taken->otherwise)
            if (read_arguments(taken, given, &result)) {
                PyObject *found = run(taken, result);
                if (found || PyErr_Occurred())
                    return found;
                break;
            }
    return take_friendly_road(call, from, count, names);
}

/* ---- making ---------------------------------------------------------------------------------- */

static int read_description(Call *call, PyObject *arguments, PyObject *shape) {
    call->count = PyTuple_Size(arguments);
    call->dimensions = (int)PyTuple_Size(shape);
    if (call->count > MOST_ARGUMENTS || call->dimensions > MOST_DIMENSIONS) {
        PyErr_SetString(PyExc_ValueError, "too many arguments or dimensions");
        return call->count = 0;
    }
    call->width = 1;
    for (int i = 0; i < call->dimensions; i++)
        call->width *= call->shape[i] = PyLong_AsLong(PyTuple_GetItem(shape, i));
    for (long i = 0; i < call->count; i++) {
        argument *own = &call->arguments[i];
        int what;
        if (!PyArg_ParseTuple(PyTuple_GetItem(arguments, i), "Uillp", &own->name, &what,
                              &own->place, &own->size, &own->required))
            return call->count = 0;
        own->kind = (kind)what;
        if (what < 0 || what >= KINDS || own->place < 0 || own->size < 0 ||
            own->place + own->size > call->given) {
            PyErr_SetString(PyExc_ValueError, "an argument lies outside x and u");
            return call->count = 0;
        }
    }
    for (long i = 0; i < call->count; i++) { /* interned, as the names in calls are */
        Py_INCREF(call->arguments[i].name);
        PyUnicode_InternInPlace(&call->arguments[i].name);
    }
    return !PyErr_Occurred();
}

static long whole_lines(long doubles) { return (doubles + 8) / 8 * 8; }

/* One piece for x, u, the block, out and work, and the defaults of x and u. */
static int take_memory(Call *call, long x, PyArrayObject *defaults, PyArrayObject *block,
                       long work) {
    long block_size = (long)PyArray_SIZE(block), given = whole_lines(call->given);
    long size = 2 * given + whole_lines(block_size) + whole_lines(call->out_size) + whole_lines(work);
    call->memory = aligned_alloc(ALIGNMENT, (size_t)size * sizeof(double));
    if (!call->memory) {
        PyErr_NoMemory();
        return 0;
    }
    memset(call->memory, 0, (size_t)size * sizeof(double));
    call->x = call->memory;
    call->u = call->memory + x;
    call->defaults = call->memory + given;
    call->p = call->defaults + given;
    call->out = call->p + whole_lines(block_size);
    call->work = call->out + whole_lines(call->out_size);
    memcpy(call->x, PyArray_DATA(defaults), (size_t)call->given * sizeof(double));
    memcpy(call->defaults, PyArray_DATA(defaults), (size_t)call->given * sizeof(double));
    memcpy(call->p, PyArray_DATA(block), (size_t)block_size * sizeof(double));
    return 1;
}

static char *copied(const char *text) {
    char *copy = PyMem_Malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : (char *)PyErr_NoMemory();
}

PyDoc_STRVAR(CALL_DOC,
"Call(name, doc, function, x, defaults, block, out, arguments, friendly, owner, otherwise)\n--\n\n"
"A function and where its arguments go.\n\n"
"function = (address, context address, work size); x: size of x in [x, u], whose defaults are given;\n"
"out = (outputs of the function, the first that is wanted, the one that isn't 0 where there is no\n"
"answer or -1, shape of what is wanted); arguments =\n"
"((name, kind, place, size, required), …); friendly: what takes other arguments; otherwise: a Call\n"
"with the same arguments that is tried in between.");

static PyObject *make_call(PyTypeObject *type, PyObject *given, PyObject *named) {
    const char *name, *doc;
    unsigned long long address, context;
    long work, x, out_size, first, refusal;
    PyObject *shape, *defaults, *block, *arguments, *friendly, *owner, *otherwise;
    if (named && PyDict_Size(named)) {
        PyErr_SetString(PyExc_TypeError, "Call takes no keywords");
        return NULL;
    }
    if (!PyArg_ParseTuple(given, "ss(KKl)lO!O!(lllO!)O!OOO", &name, &doc, &address, &context, &work,
                          &x, &PyArray_Type, &defaults, &PyArray_Type, &block, &out_size, &first,
                          &refusal, &PyTuple_Type, &shape, &PyTuple_Type, &arguments, &friendly, &owner,
                          &otherwise))
        return NULL;
    npy_intp sizes[] = {PyArray_SIZE((PyArrayObject *)defaults),
                        PyArray_SIZE((PyArrayObject *)block)};
    if (refusal >= out_size || first < 0 || first > out_size || !fits(defaults, 1, &sizes[0]) || !fits(block, 1, &sizes[1]) || x < 0 || x > sizes[0] ||
        (otherwise != Py_None && Py_TYPE(otherwise) != type)) {
        PyErr_SetString(PyExc_ValueError, "defaults and block are float64, otherwise is a Call");
        return NULL;
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Call *call = (Call *)alloc(type, 0);
    if (!call)
        return NULL;
    call->function = (tb_function)(uintptr_t)address;
    call->context = (const void *)(uintptr_t)context;
    call->given = (long)sizes[0], call->out_size = out_size, call->first = first;
    call->refusal = refusal;
    call->otherwise = otherwise == Py_None ? NULL : otherwise;
    call->friendly = friendly, call->owner = owner;
    Py_XINCREF(call->otherwise);
    Py_INCREF(friendly);
    Py_INCREF(owner);
    if (!read_description(call, arguments, shape) || !(call->name = copied(name)) ||
        !(call->doc = copied(doc)) ||
        !take_memory(call, x, (PyArrayObject *)defaults, (PyArrayObject *)block, work)) {
        Py_DECREF(call);
        return NULL;
    }
    call->definition = (PyMethodDef){call->name, (PyCFunction)(void (*)(void))call_function,
                                     METH_FASTCALL | METH_KEYWORDS, call->doc};
    return (PyObject *)call;
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    Call *call = (Call *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(call->otherwise);
    Py_VISIT(call->friendly);
    Py_VISIT(call->owner);
    return 0;
}

/* What owns the machine code stays until the end: a call may still be reached. */
static int clear(PyObject *self) {
    Py_CLEAR(((Call *)self)->friendly);
    return 0;
}

static void destroy(PyObject *self) {
    Call *call = (Call *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    for (long i = 0; i < call->count; i++)
        Py_XDECREF(call->arguments[i].name);
    Py_XDECREF(call->otherwise);
    Py_XDECREF(call->friendly);
    Py_XDECREF(call->owner);
    free(call->memory);
    PyMem_Free(call->name);
    PyMem_Free(call->doc);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *method(PyObject *self, void *unused) {
    (void)unused;
    return PyCFunction_NewEx(&((Call *)self)->definition, self, NULL);
}

static PyGetSetDef properties[] = {
    {"method", method, NULL, "The C callable: takes the arguments by position or name.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)CALL_DOC}, {Py_tp_new, make_call},     {Py_tp_dealloc, destroy},
    {Py_tp_traverse, traverse},    {Py_tp_clear, clear},       {Py_tp_getset, properties},
    {0, NULL},
};

static PyType_Spec specification = {
    "touchback.native._calls.Call", sizeof(Call), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots,
};

/* ---- many rows --------------------------------------------------------------------------------- */

static int read_parts(tb_rows *rows, PyObject *parts, long count) {
    rows->part_count = PyTuple_Size(parts);
    if (rows->part_count > TB_MOST_PARTS) {
        PyErr_SetString(PyExc_ValueError, "too many parts");
        return 0;
    }
    for (long i = 0; i < rows->part_count; i++) {
        tb_part *part = &rows->parts[i];
        PyObject *array;
        if (!PyArg_ParseTuple(PyTuple_GetItem(parts, i), "O!lll", &PyArray_Type, &array,
                              &part->stride, &part->size, &part->place))
            return 0;
        npy_intp size = part->stride ? count * part->stride : part->size;
        if (!fits(array, 1, &size) || (part->stride && part->stride != part->size) ||
            part->place < 0 || part->size < 0 || part->place + part->size > rows->x + rows->u) {
            PyErr_SetString(PyExc_ValueError, "a part doesn't fit");
            return 0;
        }
        part->from = PyArray_DATA((PyArrayObject *)array);
    }
    return 1;
}

PyDoc_STRVAR(ROWS_DOC,
"rows(one, wide, sizes, parts, block, result, first, count, threads)\n--\n\n"
"Computes `count` rows into `result` (count × width) without Python's lock.\n\n"
"one = (address, context address), wide = the same and lanes; sizes = (x, u, block, outputs, work) of\n"
"a row; parts = ((array, stride, size, place in [x, u]), …), stride 0 where all rows share it.");

static PyObject *compute_rows(PyObject *module, PyObject *given) {
    (void)module;
    tb_rows rows;
    unsigned long long one, one_context, wide, wide_context;
    long count, threads;
    PyObject *parts, *block, *result;
    if (!PyArg_ParseTuple(given, "(KK)(KKl)(lllll)O!O!O!lll", &one, &one_context, &wide,
                          &wide_context, &rows.lanes, &rows.x, &rows.u, &rows.p, &rows.out,
                          &rows.work, &PyTuple_Type, &parts, &PyArray_Type, &block, &PyArray_Type,
                          &result, &rows.first, &count, &threads) ||
        !read_parts(&rows, parts, count))
        return NULL;
    npy_intp numbers = PyArray_SIZE((PyArrayObject *)result);
    npy_intp blocks = PyArray_SIZE((PyArrayObject *)block);
    rows.width = count ? (long)(numbers / count) : 0;
    rows.block_stride = blocks == rows.p ? 0 : rows.p;
    if (!fits(result, 1, &numbers) || !PyArray_ISWRITEABLE((PyArrayObject *)result) ||
        numbers != count * rows.width || !fits(block, 1, &blocks) ||
        blocks != (rows.block_stride ? count * rows.p : rows.p) || rows.lanes < 1 ||
        rows.lanes > TB_MOST_LANES || rows.first < 0 || rows.first + rows.width > rows.out) {
        PyErr_SetString(PyExc_ValueError, "block or result don't fit");
        return NULL;
    }
    rows.one = (tb_function)(uintptr_t)one, rows.wide = (tb_function)(uintptr_t)wide;
    rows.one_context = (const void *)(uintptr_t)one_context;
    rows.wide_context = (const void *)(uintptr_t)wide_context;
    rows.block = PyArray_DATA((PyArrayObject *)block);
    rows.result = PyArray_DATA((PyArrayObject *)result);
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = tb_rows_run(&rows, count, threads);
    Py_END_ALLOW_THREADS
    if (status)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"rows", compute_rows, METH_VARARGS, ROWS_DOC},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_calls", "Calls of compiled functions.", -1, functions,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__calls(void) {
    import_array();
    PyObject *module = PyModule_Create(&definition);
    PyObject *type = module ? PyType_FromSpec(&specification) : NULL;
    if (!type || PyModule_AddType(module, (PyTypeObject *)type)) {
        Py_XDECREF(type);
        Py_XDECREF(module);
        return NULL;
    }
    Py_DECREF(type);
    return module;
}
