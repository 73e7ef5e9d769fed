"""Batches on a graphics card: the same programs as CUDA C, one thread an instance."""
