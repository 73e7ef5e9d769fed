"""Counts what one thread asks of malloc: a library that is preloaded before Python's own."""

import ctypes
import subprocess
from pathlib import Path

SOURCE = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
volatile long watched, counted;
static __thread long me __attribute__((tls_model("initial-exec")));
static void count(void) {
    if (!watched)
        return;
    if (!me)
        me = syscall(SYS_gettid);
    if (me == watched)
        counted++;
}
void *malloc(size_t n) { count(); return __libc_malloc(n); }
void *calloc(size_t k, size_t n) { count(); return __libc_calloc(k, n); }
void *realloc(void *p, size_t n) { count(); return __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { count(); return __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { count(); return __libc_memalign(a, n); }
void free(void *p) { if (p) count(); __libc_free(p); }
"""


def build(folder: Path) -> Path:
    """The library to name in LD_PRELOAD; needs gcc."""
    source, library = folder / "counter.c", folder / "counter.so"
    source.write_text(SOURCE)
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return library


class Counter:
    """The counter of this process, where the library was preloaded."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._watched = ctypes.c_long.in_dll(library, "watched")
        self._counted = ctypes.c_long.in_dll(library, "counted")

    def watch(self, thread: int) -> None:
        """Counts this thread's calls from now on."""
        self._watched.value = thread

    @property
    def counted(self) -> int:
        """Calls so far."""
        return self._counted.value
