"""Errors that go from one process to another, as those of a pool do: one that can't be read there
ends the pool, or lets who waits for its answer wait forever."""

import pickle

import numpy as np

import touchback as tb
from touchback.errors import FieldError


def test_a_batch_that_was_interrupted_is_told_with_what_was_done() -> None:
    ran = tb.gallery.make("pendulum").compile().batch(2).run(None, 0.01)
    error = tb.batch.BatchInterrupted(ran)
    told = pickle.loads(pickle.dumps(error))
    assert str(told) == str(error) and np.array_equal(told.run.record, ran.record)


def test_a_field_that_cant_be_is_told_with_its_path() -> None:
    error = FieldError("spring: a stiffness is positive, got -1.", ("axles", 1, "spring"))
    told = pickle.loads(pickle.dumps(error))
    assert str(told) == str(error) and told.path == error.path
