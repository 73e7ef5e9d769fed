"""Rigid contacts that can't be."""

import pytest

import touchback as tb


def test_laws_that_make_no_sense_are_refused_by_name() -> None:
    frame = tb.Frame("ground")
    with pytest.raises(tb.ModelError, match="tangents are '', 'x', 'y' or 'xy', got 'z'"):
        tb.contact.SpherePlaneContact(frame, tangents="z")
    with pytest.raises(tb.ModelError, match=r"its restitution is 1\.5"):
        tb.contact.SpherePlaneContact(frame, restitution=1.5)
    with pytest.raises(tb.ModelError, match="its friction is -1"):
        tb.contact.DiscPlaneContact(frame, friction=-1)
