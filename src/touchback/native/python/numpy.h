/* Python on the stable ABI and NumPy, for the files of this folder: one of them fills the table of
 * NumPy's functions that all share. */
#ifndef TOUCHBACK_NUMPY_H
#define TOUCHBACK_NUMPY_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL tb_numpy_functions
#ifndef TOUCHBACK_FILLS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

/* Whether an object is a contiguous float64 array of this shape. */
static inline int tb_fits(PyObject *object, int dimensions, const npy_intp *shape) {
    PyArrayObject *array = (PyArrayObject *)object;
    if (Py_TYPE(object) != &PyArray_Type || PyArray_TYPE(array) != NPY_DOUBLE ||
        !PyArray_ISCARRAY_RO(array) || PyArray_NDIM(array) != dimensions)
        return 0;
    for (int i = 0; i < dimensions; i++)
        if (PyArray_DIM(array, i) != shape[i])
            return 0;
    return 1;
}

#endif
