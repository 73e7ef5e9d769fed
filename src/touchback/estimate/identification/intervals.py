"""How wide an interval is."""

from touchback.numbers import number_within


def half_width(freedoms: int, confidence: float) -> float:
    """In standard errors, of an interval of this confidence: Student's t of so many degrees."""
    from scipy.special import stdtrit

    sentence = "confidence must lie above 0 and below 1, as 0.95"
    share = number_within(sentence, confidence, 1e-12, 1.0 - 1e-12)
    return float(stdtrit(freedoms, 0.5 + 0.5 * share))
