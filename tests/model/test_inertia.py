"""Tensors of inertia: symmetric up to rounding, relative to their size."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import touchback as tb
from touchback.errors import ModelError

PAIRS = ((1, 0), (2, 0), (2, 1))


def bodied(tensor: np.ndarray) -> tb.Model:
    model = tb.Model("one body")
    model.body("rod", mass=1.0, inertia=tensor.tolist())
    return model


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e5])
@pytest.mark.parametrize("pair", PAIRS)
def test_entries_may_differ_by_a_billionth_of_the_largest(
    pair: tuple[int, int], size: float
) -> None:
    """Whether they are large themselves or the rounding of a zero."""
    for entry in (0.2, 1e-12, 0.0):
        for off, refused in ((0.9e-9, False), (-0.9e-9, False), (1.1e-9, True), (-1.1e-9, True)):
            tensor = np.diag([1.0, 0.8, 0.9])
            tensor[pair] = tensor[pair[::-1]] = entry
            tensor[pair] += off
            if refused:
                with pytest.raises(ModelError, match="the tensor is not symmetric"):
                    bodied(size * tensor)
            else:
                bodied(size * tensor)


def test_a_turned_tensor_is_taken_with_its_rounding() -> None:
    """R diag(I) Rᵀ of NumPy isn't symmetric to the bit; its principal moments stay."""
    rng, asymmetric = np.random.default_rng(3), 0
    for turn in Rotation.random(40, random_state=5):
        R, moments = turn.as_matrix(), np.sort(rng.uniform(0.5, 1.0, 3))
        tensor = R @ np.diag(moments) @ R.T
        asymmetric += (tensor != tensor.T).any()
        given = np.array(bodied(tensor).bodies["rod"].tensor(), float)
        assert_allclose(np.linalg.eigvalsh(given), moments, rtol=1e-12)
    assert asymmetric > 10
