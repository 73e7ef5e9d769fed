"""Where Cyclone DDS isn't installed, who asks for it is told how to have it on their machine."""

import platform
import sys

import pytest

import touchback as tb
from touchback.interop.ros2.dds_transport import DdsTransport


@pytest.mark.parametrize(("machine", "builds"), [("x86_64", False), ("aarch64", True)])
def test_who_has_no_wheel_is_told_what_to_build(monkeypatch, machine, builds) -> None:
    monkeypatch.setitem(sys.modules, "touchback.interop.ros2.cyclone_dds", None)
    monkeypatch.delattr("touchback.interop.ros2.cyclone_dds", raising=False)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    with pytest.raises(tb.InputError, match=r"pip install touchback\[dds\]") as refused:
        DdsTransport("crank", domain=42)
    assert ("CYCLONEDDS_HOME" in str(refused.value)) == builds
