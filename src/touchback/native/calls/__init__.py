"""Functions of the one calling convention (abi.h): published, interpreted, called row by row."""
