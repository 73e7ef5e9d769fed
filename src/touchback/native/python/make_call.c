/* Calls are made by Python (system/method_dispatch.py) and live as long as their methods. */
#include "python/call.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static int read_description(Call *call, PyObject *arguments, PyObject *shape) {
    call->count = PyTuple_Size(arguments);
    call->dimensions = (int)PyTuple_Size(shape);
    if (call->count > MOST_ARGUMENTS || call->dimensions > MOST_DIMENSIONS) {
        PyErr_SetString(PyExc_ValueError, "too many arguments or dimensions");
        call->count = 0;
        return 0;
    }
    call->width = 1;
    for (int i = 0; i < call->dimensions; i++)
        call->width *= call->shape[i] = PyLong_AsLong(PyTuple_GetItem(shape, i));
    for (long i = 0; i < call->count; i++) {
        argument *own = &call->arguments[i];
        int what, needed;
        if (!PyArg_ParseTuple(PyTuple_GetItem(arguments, i), "Uillpp", &own->name, &what,
                              &own->place, &own->size, &own->required, &needed)) {
            call->count = 0;
            return 0;
        }
        own->kind = (kind)what;
        if (needed)
            call->needed = i + 1;
        if (what < 0 || what >= KINDS || own->place < 0 || own->size < 0 ||
            own->place + own->size > call->given) {
            PyErr_SetString(PyExc_ValueError, "an argument lies outside x and u");
            call->count = 0;
            return 0;
        }
    }
    for (long i = 0; i < call->count; i++) { /* interned, as the names in calls are */
        Py_INCREF(call->arguments[i].name);
        PyUnicode_InternInPlace(&call->arguments[i].name);
    }
    return !PyErr_Occurred();
}

static long whole_lines(long doubles) {
    return (doubles + 8) / 8 * 8;
}

/* One piece for x, u, the block, out and work, and the defaults of x and u. */
static int take_memory(Call *call, long x, PyArrayObject *defaults, PyArrayObject *block,
                       long work) {
    long block_size = (long)PyArray_SIZE(block), given = whole_lines(call->given);
    long size =
        2 * given + whole_lines(block_size) + whole_lines(call->out_size) + whole_lines(work);
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
    call->block_size = block_size;
    return tb_take_block(call, (PyObject *)block);
}

static char *copied(const char *text) {
    char *copy = PyMem_Malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : (char *)PyErr_NoMemory();
}

PyDoc_STRVAR(CALL_DOC, "Call(name, doc, function, x, defaults, block, out, arguments, friendly, "
                       "owner, otherwise)\n--\n\n"
                       "A function and where its arguments go.\n\n"
                       "function = (address, context address, work size); x: size of x in [x, u], "
                       "whose defaults are given;\n"
                       "out = (outputs of the function, the first that is wanted, the one that "
                       "isn't 0 where there is no\n"
                       "answer or -1, shape of what is wanted); arguments =\n"
                       "((name, kind, place, size, required, needed), …), needed: may be None but "
                       "not left out; friendly:\n"
                       "what takes other arguments; otherwise: a Call with the same arguments that "
                       "is tried in between.");

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
                          &refusal, &PyTuple_Type, &shape, &PyTuple_Type, &arguments, &friendly,
                          &owner, &otherwise))
        return NULL;
    npy_intp sizes[] = {PyArray_SIZE((PyArrayObject *)defaults),
                        PyArray_SIZE((PyArrayObject *)block)};
    if (refusal >= out_size || first < 0 || first > out_size || !tb_fits(defaults, 1, &sizes[0]) ||
        !tb_fits(block, 1, &sizes[1]) || x < 0 || x > sizes[0] ||
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
    call->definition = (PyMethodDef){call->name, (PyCFunction)(void (*)(void))tb_call_function,
                                     METH_FASTCALL | METH_KEYWORDS, call->doc};
    return (PyObject *)call;
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    Call *call = (Call *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(call->otherwise);
    Py_VISIT(call->friendly);
    Py_VISIT(call->owner);
    Py_VISIT(call->present);
    Py_VISIT(call->setting);
    Py_VISIT(call->first_call);
    return 0;
}

/* What owns the machine code stays until the end: a call may still be reached. */
static int clear(PyObject *self) {
    Call *call = (Call *)self;
    Py_CLEAR(call->friendly);
    Py_CLEAR(call->setting);
    Py_CLEAR(call->first_call);
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
    Py_XDECREF(call->present);
    Py_XDECREF(call->setting);
    Py_XDECREF(call->first_call);
    Py_XDECREF(call->block);
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

static PyObject *take(PyObject *self, PyObject *block) {
    if (!tb_take_block((Call *)self, block))
        return PyErr_Format(PyExc_ValueError, "the block doesn't fit");
    Py_RETURN_NONE;
}

static void replace(PyObject **place, PyObject *object) {
    PyObject *before = *place;
    Py_INCREF(object);
    *place = object;
    Py_XDECREF(before);
}

static PyObject *follow(PyObject *self, PyObject *given) {
    Call *call = (Call *)self;
    PyObject *present, *setting, *first;
    if (!PyArg_ParseTuple(given, "O!OO!", &PyList_Type, &present, &setting, Py_TYPE(self), &first))
        return NULL;
    replace(&call->first_call, first);
    replace(&call->present, present);
    replace(&call->setting, setting);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"take", take, METH_O, "Takes another parameter block."},
    {"follow", follow, METH_VARARGS,
     "follow(present, setting, first)\n--\n\n"
     "Lets the method call `first` as long as present[0] is this setting, and else take the\n"
     "friendly road."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"method", method, NULL, "The C callable: takes the arguments by position or name.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)CALL_DOC}, {Py_tp_new, make_call},
    {Py_tp_dealloc, destroy},      {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},          {Py_tp_getset, properties},
    {Py_tp_methods, methods},      {0, NULL},
};

PyType_Spec tb_call_type = {
    "touchback.native._calls.Call", sizeof(Call), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots,
};
