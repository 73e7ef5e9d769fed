/* Calls of compiled functions from Python: one at a time (call.h), and many rows at once, which
 * lets go of Python's lock (rows.h). */
#define TOUCHBACK_FILLS_NUMPY
#include "python/call.h"
#include "python/rows.h"

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
        if (!tb_fits(array, 1, &size) || (part->stride && part->stride != part->size) ||
            part->place < 0 || part->size < 0 || part->place + part->size > rows->x + rows->u) {
            PyErr_SetString(PyExc_ValueError, "a part doesn't fit");
            return 0;
        }
        part->from = PyArray_DATA((PyArrayObject *)array);
    }
    return 1;
}

static int read_contexts(tb_rows *rows, PyObject *contexts) {
    rows->context_count = PyTuple_Size(contexts);
    if (rows->context_count < 1 || rows->context_count > TB_MOST_THREADS) {
        PyErr_SetString(PyExc_ValueError, "too many contexts, or none");
        return 0;
    }
    for (long i = 0; i < rows->context_count; i++) {
        unsigned long long one, wide;
        if (!PyArg_ParseTuple(PyTuple_GetItem(contexts, i), "KK", &one, &wide))
            return 0;
        rows->one_contexts[i] = (const void *)(uintptr_t)one;
        rows->wide_contexts[i] = (const void *)(uintptr_t)wide;
    }
    return 1;
}

PyDoc_STRVAR(
    ROWS_DOC,
    "rows(functions, contexts, sizes, parts, block, result, first, count, threads)\n--\n\n"
    "Computes `count` rows into `result` (count × width) without Python's lock.\n\n"
    "functions = (address of one row's, of several rows', lanes of that); contexts = ((of one, of\n"
    "several), …), a pair that threads share, or one for each thread; sizes = (x, u, block, "
    "outputs,\n"
    "work) of a row; parts = ((array, stride, size, place in [x, u]), …), stride 0 where all rows "
    "share it.");

static PyObject *compute_rows(PyObject *module, PyObject *given) {
    (void)module;
    tb_rows rows;
    unsigned long long one, wide;
    long count, threads;
    PyObject *contexts, *parts, *block, *result;
    if (!PyArg_ParseTuple(given, "(KKl)O!(lllll)O!O!O!lll", &one, &wide, &rows.lanes, &PyTuple_Type,
                          &contexts, &rows.x, &rows.u, &rows.p, &rows.out, &rows.work,
                          &PyTuple_Type, &parts, &PyArray_Type, &block, &PyArray_Type, &result,
                          &rows.first, &count, &threads) ||
        !read_contexts(&rows, contexts) || !read_parts(&rows, parts, count))
        return NULL;
    npy_intp numbers = PyArray_SIZE((PyArrayObject *)result);
    npy_intp blocks = PyArray_SIZE((PyArrayObject *)block);
    rows.width = count ? (long)(numbers / count) : 0;
    rows.block_stride = blocks == rows.p ? 0 : rows.p;
    if (!tb_fits(result, 1, &numbers) || !PyArray_ISWRITEABLE((PyArrayObject *)result) ||
        numbers != count * rows.width || !tb_fits(block, 1, &blocks) ||
        blocks != (rows.block_stride ? count * rows.p : rows.p) || rows.lanes < 1 ||
        rows.lanes > TB_MOST_LANES || rows.first < 0 || rows.first + rows.width > rows.out) {
        PyErr_SetString(PyExc_ValueError, "block or result don't fit");
        return NULL;
    }
    rows.one = (tb_function)(uintptr_t)one, rows.wide = (tb_function)(uintptr_t)wide;
    rows.block = PyArray_DATA((PyArrayObject *)block);
    rows.result = PyArray_DATA((PyArrayObject *)result);
    int status;
    Py_BEGIN_ALLOW_THREADS status = tb_rows_run(&rows, count, threads);
    Py_END_ALLOW_THREADS if (status) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"rows", compute_rows, METH_VARARGS, ROWS_DOC},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_calls",
    "Calls of compiled functions.",
    -1,
    functions,
    NULL,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__calls(void) {
    import_array();
    PyObject *module = PyModule_Create(&definition);
    PyObject *type = module ? PyType_FromSpec(&tb_call_type) : NULL;
    if (!type || PyModule_AddType(module, (PyTypeObject *)type)) {
        Py_XDECREF(type);
        Py_XDECREF(module);
        return NULL;
    }
    Py_DECREF(type);
    return module;
}
