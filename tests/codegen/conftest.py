"""Code for each target that this machine can run, and for each number of lanes."""

import pytest

from touchback.codegen import program_compiler
from touchback.codegen.emit_machine_code import TARGETS
from touchback.codegen.host_cpu import host_target

RUNNING = {"x86_64_v4": ("x86_64", "x86_64_v4"), None: ()}.get(
    host_target()[0], (host_target()[0],)
)
HERE = [(target, lanes) for target in RUNNING for lanes in TARGETS[target].widths]


@pytest.fixture(params=HERE, ids=lambda each: f"{each[0]}-{each[1]}")
def lanes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """So many lanes by code for a target that is not necessarily the best one here."""
    target, count = request.param
    monkeypatch.setattr(program_compiler, "host_target", lambda: (target, ""))
    return count
