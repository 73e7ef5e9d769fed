"""FMUs of others beside a mechanism, and files that are no FMUs."""

import io
import platform
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from fmus import Written
from touchback.errors import InputError, ModelError, SolveError

STIFFNESS = 100.0  # N/m, of each of three springs that hold two masses of 1 kg in a row
WIRES = {"other": "two/x", "two/force": "pull"}
Make = Callable[[str, int], Written]


def first_mass() -> tb.System:
    """The mass that begins 0.1 m aside; the other one's place is an input."""
    m = tb.Model("first", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("mass", 1.0), position=0.1)
    x, other = m.coordinate("x"), m.input("other", unit="m")
    m.force("springs", tb.JointEffort("x", -STIFFNESS * x + STIFFNESS * (other - x)))
    m.sensor("pull", tb.Signal(STIFFNESS * (x - other), "N"))
    return m.compile()


@pytest.mark.parametrize("version", [2, 3])
def test_two_halves_of_an_oscillator_come_nearer_to_the_whole_as_they_exchange_more_often(
    written: Make, version: int
) -> None:
    """x₁ = 0.05 (cos ω₁t + cos ω₂t) with ω₁² = k/m, ω₂² = 3 k/m; held inputs are of order 1."""
    system, unit = first_mass(), tb.Fmu(written("mass", version).path, trusted=True)
    slow, fast = np.sqrt(STIFFNESS), np.sqrt(3 * STIFFNESS)
    errors = []
    for every in (2e-3, 1e-3):
        run = tb.couple(system, {"two": unit}, WIRES, duration=0.5, every=every)
        exact = 0.05 * (np.cos(slow * run.time) + np.cos(fast * run.time))
        errors.append(np.abs(run["x"] - exact).max())
    assert errors[0] < 0.003
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)
    assert run["two/place"][-1] == pytest.approx(run["other"][-1])


def test_an_fmu_tells_of_itself_and_runs_only_when_it_is_trusted(written: Make) -> None:
    unit = tb.Fmu(written("mass", 2).path)
    assert unit.inputs == ("force",)
    assert unit.outputs == ("place",)
    assert unit.signal("force").unit == "N"
    with pytest.raises(InputError, match=r"foreign code .* trusted=True"):
        tb.couple(first_mass(), {"two": unit}, WIRES)


def test_start_values_of_an_fmu_are_its_own(written: Make) -> None:
    unit = tb.Fmu(written("mass", 2).path, trusted=True, start={"x": 0.3})
    run = tb.couple(first_mass(), {"two": unit}, WIRES, duration=0.01)
    assert run["other"][0] == 0.3


@pytest.mark.parametrize(
    ("wires", "message"),
    [
        ({"others": "two/x"}, "'others'"),
        ({"other": "two/z"}, "'z'"),
        ({"two/x": "pull"}, "no input of"),
        ({"other": "three/x"}, "'three/x'"),
    ],
)
def test_wires_that_lead_nowhere_are_refused(
    written: Make, wires: dict[str, str], message: str
) -> None:
    unit = tb.Fmu(written("mass", 2).path, trusted=True)
    with pytest.raises(InputError, match=message):
        tb.couple(first_mass(), {"two": unit}, wires)


def test_what_is_no_fmu_and_no_start_is_refused(written: Make) -> None:
    with pytest.raises(InputError, match=r"Unit 'two': a tb\.Fmu is expected, got 5"):
        tb.couple(first_mass(), {"two": 5}, WIRES)
    with pytest.raises(InputError, match="start is a mapping of names to numbers"):
        tb.Fmu(written("mass", 2).path, start=[0.3])


@pytest.mark.parametrize("given", [["two"], "two", 2])
@pytest.mark.parametrize("label", ["units", "wires", "parameters"])
def test_what_is_not_given_by_name_is_refused(label: str, given: object) -> None:
    arguments, told = {"units": {}, "wires": {}, label: given}, re.escape(repr(given))
    with pytest.raises(InputError, match=rf"{label}: .* by name are expected, .* got {told}"):
        tb.couple(first_mass(), **arguments)


def test_steps_that_do_not_fit_are_refused(written: Make) -> None:
    unit = tb.Fmu(written("mass", 2).path, trusted=True)
    with pytest.raises(InputError, match=r"multiple of every=0\.003"):
        tb.couple(first_mass(), {"two": unit}, WIRES, duration=1.0, every=3e-3)
    with pytest.raises(InputError, match=r"every must be a positive number, got -0\.001"):
        tb.couple(first_mass(), {"two": unit}, WIRES, every=-1e-3)


def test_what_an_fmu_refuses_ends_the_run_with_its_name(written: Make) -> None:
    beyond = {"arm length": 5.0}  # its max is 1
    unit = tb.Fmu(written("tree", 2).path, trusted=True, start=beyond)
    with pytest.raises(SolveError, match="FMU 'arm'"):
        tb.couple(first_mass(), {"arm": unit}, {"arm/push": "pull"}, duration=0.01)


# ---- files ----------------------------------------------------------------------

DESCRIPTION = (
    '<fmiModelDescription fmiVersion="2.0" modelName="m" guid="{{1}}">{}</fmiModelDescription>'
)
STEPS = '<CoSimulation modelIdentifier="m"/>'


def described(reference: str, count: int = 1) -> dict[str, str]:
    """An FMU with an output."""
    variable = f'<ScalarVariable name="y" {reference} causality="output"><Real/></ScalarVariable>'
    variables = f"<ModelVariables>{count * variable}</ModelVariables>"
    return {"modelDescription.xml": DESCRIPTION.format(STEPS + variables)}


def packed(path: Path, files: Mapping[str, str | bytes], link: str = "") -> Path:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name)
            if name == link:
                info.external_attr = 0o120777 << 16
            archive.writestr(info, text)
    path.write_bytes(content.getvalue())
    return path


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"../up.txt": ""}, "leads elsewhere"),
        ({"a/../../up.txt": ""}, "leads elsewhere"),
        ({"/etc/passwd": ""}, "leads elsewhere"),
        ({"C:\\up.txt": ""}, "leads elsewhere"),
        ({"link": "/etc/passwd"}, "a link or a device"),
        ({"other.xml": ""}, "no modelDescription.xml"),
        ({"modelDescription.xml": "<a/>"}, "begins with <fmiModelDescription>"),
        (
            {"modelDescription.xml": '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'},
            "document types and entities",
        ),
        ({"modelDescription.xml": DESCRIPTION.format("")}, "model exchange only"),
        (
            {"modelDescription.xml": DESCRIPTION.format(STEPS).replace("2.0", "1.0")},
            "FMI '1.0' isn't read",
        ),
        (
            {"modelDescription.xml": DESCRIPTION.format(STEPS).replace('er="m"', 'er="../m"')},
            "no name of a file",
        ),
        (described(""), "needs an attribute valueReference"),
        (described('valueReference="-1"'), "'-1' of 'y' is no whole number"),
        (described('valueReference="1.5"'), "'1.5' of 'y' is no whole number"),
        (described('valueReference="4294967296"'), "'4294967296' of 'y' is no whole number"),
        (described('valueReference="1"', count=2), "two variables are called 'y'"),
    ],
)
def test_files_that_are_no_fmus_or_would_reach_beyond_are_refused(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        tb.Fmu(packed(tmp_path / "a.fmu", files, link="link"))


@pytest.mark.parametrize("content", [b"PK\3\4 and then nothing", b""])
def test_bytes_that_are_no_archive_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.fmu"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="can't be read as an FMU"):
        tb.Fmu(path)


def test_an_archive_that_is_damaged_inside_is_refused(tmp_path: Path) -> None:
    path, text = tmp_path / "a.fmu", DESCRIPTION.format(STEPS)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", text)
    content = bytearray(path.read_bytes())
    start = 30 + len("modelDescription.xml")  # where the packed bytes begin
    content[start : start + 8] = b"\xff" * 8
    path.write_bytes(content)
    with pytest.raises(ModelError, match="can't be read as an FMU"):
        tb.Fmu(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_packed_in_other_ways_is_refused(tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "a.fmu", "w", method) as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION.format(STEPS))
    with pytest.raises(ModelError, match="packed as FMUs aren't"):
        tb.Fmu(tmp_path / "a.fmu")


def test_an_archive_that_swells_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("touchback.interop.fmi.fmu_instance.MAX_WHOLE", 1000)
    files = {"modelDescription.xml": DESCRIPTION.format(STEPS), "a": "x" * 2000}
    with pytest.raises(ModelError, match="too much"):
        tb.Fmu(packed(tmp_path / "a.fmu", files))


@pytest.mark.parametrize("binary", [{}, {"binaries/linux64/m.so": "no library"}])
def test_an_fmu_without_a_binary_that_loads_is_named_and_leaves_us_where_we_are(
    tmp_path: Path, binary: dict[str, str]
) -> None:
    unit = tb.Fmu(
        packed(tmp_path / "m.fmu", described('valueReference="1"') | binary), trusted=True
    )
    here = Path.cwd()
    with pytest.raises(ModelError, match=r"m\.fmu: its binary can't be loaded on this machine"):
        tb.couple(first_mass(), {"unit": unit}, {}, duration=0.01)
    assert Path.cwd() == here


def test_a_binary_under_the_name_of_this_machine_goes_before_that_of_another(
    written: Make, tmp_path: Path
) -> None:
    """FMI 2.0.5 has binaries of other processors under names of 3.0, beside x86-64's linux64."""
    with zipfile.ZipFile(written("mass", 2).path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    library = "binaries/{}/mass.so"
    files[library.format(f"{platform.machine()}-linux")] = files[library.format("linux64")]
    files[library.format("linux64")] = b"of another processor"
    unit = tb.Fmu(packed(tmp_path / "both.fmu", files), trusted=True, start={"x": 0.3})
    run = tb.couple(first_mass(), {"two": unit}, WIRES, duration=0.01)
    assert run["other"][0] == 0.3
