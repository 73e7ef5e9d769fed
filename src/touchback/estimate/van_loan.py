"""Noise that enters a linear system all the time, as what it has become after a while."""

import math

import numpy as np


def wandered(A: np.ndarray, W: np.ndarray, period: float) -> tuple[np.ndarray, np.ndarray]:
    """Φ = exp(A T) and ∫ Φ W Φᵀ over a period: Van Loan's (1978) over a part of it so short that
    exp(−A h) is no large number, doubled until it is whole."""
    n, doublings = len(A), _halvings(A * period)
    h = period / 2.0**doublings
    most = max(float(W.max(initial=0.0)), 1e-300)
    block = np.zeros((2 * n, 2 * n))
    block[:n, :n], block[:n, n:], block[n:, n:] = -A * h, W / most, A.T * h
    exponential = _exponential(block)
    flow = exponential[n:, n:].T
    spread = (most * h) * (flow @ exponential[:n, n:])
    for _ in range(doublings):
        spread = spread + flow @ spread @ flow.T
        flow = flow @ flow
    return flow, 0.5 * (spread + spread.T)


def _exponential(M: np.ndarray) -> np.ndarray:
    """exp M of a small matrix, by squaring a Taylor series."""
    halvings = _halvings(M)
    M = M / 2.0**halvings
    term = total = np.eye(len(M))
    for k in range(1, 15):  # 0.5¹⁵/15! is below rounding
        term = term @ M / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return np.asarray(total)


def _halvings(M: np.ndarray) -> int:
    """How often to halve a matrix until its norm is below 1/2."""
    return max(0, math.ceil(math.log2(max(float(np.linalg.norm(M)), 1e-300))) + 1)
