"""What FMUs log: why they refuse, in the error, and warnings of runs that reach their end."""

import ctypes
import platform
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from fmpy.fmi2 import FMU2Slave

import touchback as tb
from fmus import Written
from touchback.errors import SolveError
from touchback.interop.fmi.fmu_instance import Log
from touchback.native.foreign_log import ForeignLog

# An FMU of somebody else's: it warns in every step, in the manner of printf, and refuses the fifth.
GRUMBLING = r"""
#include <stddef.h>
typedef void (*logger)(void *, const char *, int, const char *, const char *, ...);
static struct { logger log; void *others[3], *environment; } calls;
void *fmi2Instantiate(const char *n, int k, const char *g, const char *r, const void *c,
                      int v, int l)
{ __builtin_memcpy(&calls, c, sizeof calls); return &calls; }
void fmi2FreeInstance(void *it) { (void)it; }
int fmi2DoStep(void *it, double t, double h, int keep) {
    (void)it, (void)keep;
    calls.log(calls.environment, "it", 1, "logStatusWarning", "%s: %.2f of %d\n", "valve", 0.25, 7);
    if (t + h < 4.5e-3) return 0;
    calls.log(calls.environment, "it", 3, "logStatusError", "The %s is stuck at %g s.", "valve", t);
    return 3;
}
"""
DESCRIPTION = """<fmiModelDescription fmiVersion="2.0" modelName="m" guid="1">
<CoSimulation modelIdentifier="m"/></fmiModelDescription>"""


@pytest.fixture(scope="module")
def grumbling(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("grumbling")
    missing = [name for name in dir(FMU2Slave) if name.startswith("fmi2") and name not in GRUMBLING]
    stubs = "".join(f"int {name}(void) {{ return 0; }}\n" for name in missing)
    (folder / "m.c").write_text(GRUMBLING + stubs)
    command = ["gcc", "-w", "-shared", "-fPIC", folder / "m.c", "-o", folder / "m.so"]
    subprocess.run(command, check=True)
    with zipfile.ZipFile(folder / "m.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        archive.write(folder / "m.so", f"binaries/{platform.machine()}-linux/m.so")
        archive.write(folder / "m.so", "binaries/linux64/m.so")
    return folder / "m.fmu"


def mass() -> tb.System:
    m = tb.Model("mass", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("mass", 1.0))
    m.sensor("pull", tb.Signal(m.coordinate("x"), "N"))
    return m.compile()


def test_the_reason_that_a_foreign_fmu_logs_is_in_the_error_with_its_numbers(
    grumbling: Path,
) -> None:
    unit = tb.Fmu(grumbling, trusted=True)
    with pytest.raises(SolveError) as told:
        tb.couple(mass(), {"unit": unit}, {}, duration=0.01)
    assert "FMU 'unit' (m.fmu): fmi2DoStep failed" in str(told.value)
    logged = "It logged: valve: 0.25 of 7 | The valve is stuck at 0.004 s."
    assert str(told.value).endswith(logged)


def test_warnings_of_an_fmu_that_goes_on_are_remarks_of_the_run(
    grumbling: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    unit = tb.Fmu(grumbling, trusted=True)
    run = tb.couple(mass(), {"unit": unit}, {}, duration=0.003)
    assert run.metadata["diagnostics"] == ["FMU 'unit' logged: valve: 0.25 of 7"]
    assert "valve" not in capfd.readouterr().out


@pytest.mark.parametrize("version", [2, 3])
def test_the_reason_of_an_fmu_that_logs_by_categories_is_asked_for(
    written: Callable[[str, int], Written], version: int
) -> None:
    unit = tb.Fmu(written("tree", version).path, trusted=True, start={"arm length": 5.0})
    with pytest.raises(SolveError, match=r"It logged: Parameter \d+: 5 lies outside 0\.1 to 1\.$"):
        tb.couple(mass(), {"arm": unit}, {"arm/push": "pull"}, duration=0.01)


def test_of_many_messages_the_newest_are_kept_and_of_long_ones_their_beginnings() -> None:
    log = ForeignLog()
    tell = ctypes.CFUNCTYPE(None, *3 * [ctypes.c_void_p], *2 * [ctypes.c_char_p])(log.teller)
    for k in range(20):
        tell(log.address, None, 0, b"", b"message %d" % k)
    assert log.texts == [f"message {k}" for k in range(12, 20)]
    tell(log.address, None, 0, b"", b"a" * 10_000)
    tell(log.address, None, 0, b"", b"\xff\n")
    assert log.texts[-2:] == ["a" * 511, "\ufffd\n"]


def test_messages_of_fmi_3_are_kept_as_those_of_fmi_2() -> None:
    log = Log("3.0")
    take = log.wanted()["logMessage"]
    assert callable(take)
    for text in (b"  two\n words ", b"two words", b"", None):
        take(None, 1, b"", text)
    assert log.texts == ["two words"]
