"""Programs as text: C, Python and MATLAB, each self-contained."""

from touchback.codegen.printers.c import print_c
from touchback.codegen.printers.compile_c import build_c
from touchback.codegen.printers.matlab import print_matlab
from touchback.codegen.printers.python import print_python

__all__ = ["build_c", "print_c", "print_matlab", "print_python"]
