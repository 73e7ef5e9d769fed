"""Listings: ours say what binutils say, and short functions read as one would write them."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from branched_robots import pack_always
from random_graphs import (
    CHOOSING,
    TURNING,
    Builder,
    operations_on_constants,
    random_branches,
    random_graph,
)
from touchback.codegen import MachineCode, disassemble, emit
from touchback.codegen.emit_machine_code import TARGETS
from touchback.errors import CompileError
from touchback.symbolic import ops

OBJDUMP = {
    "aarch64": ("-maarch64", "-Mno-aliases"),
    "x86_64": ("-mi386:x86-64", "-Mintel", "--insn-width=16"),
}
OBJDUMP["x86_64_v4"] = OBJDUMP["x86_64"]
WIDTHS = [(name, lanes) for name, target in TARGETS.items() for lanes in target.widths]


def _objdump(code: MachineCode, folder: Path) -> list[tuple[str, str]]:
    tool = shutil.which(f"{code.target.removesuffix('_v4')}-linux-gnu-objdump")
    if tool is None:
        pytest.skip(f"no {code.target}-linux-gnu-objdump here")
    file = folder / "code"
    file.write_bytes(code.code)
    options = ["-D", "-b", "binary", *OBJDUMP[code.target], f"--start-address={code.entry}"]
    shown = subprocess.run([tool, *options, file], capture_output=True, text=True, check=True)
    rows = (line.split("\t") for line in shown.stdout.splitlines())
    return [
        (row[0].strip(" :"), _normal(" ".join(row[2:])))
        for row in rows
        if len(row) > 2 and re.match(r"\s*[0-9a-f]+:", row[0])
    ]


def _normal(text: str) -> str:
    """One spacing, no comments, nor prefixes as only new binutils name them; signs of offsets."""
    text = re.sub(r"\{evex\}|(//|#\s|<).*", "", text)
    text = re.sub(r"rip\+(0xf{6,}[0-9a-f]+)", lambda m: f"rip-{2**64 - int(m[1], 16):#x}", text)
    return re.sub(r"\s+", " ", text).strip()


def _ours(code: MachineCode) -> list[tuple[str, str]]:
    rows = (line.split(":", 1) for line in disassemble(code).splitlines()[1:])
    return [(offset.strip(), text.strip()) for offset, text in rows]


@pytest.mark.parametrize(("target", "lanes"), WIDTHS)
def test_the_listing_agrees_with_objdump(target: str, lanes: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for inputs in (3, 90, 20_000):
        code = emit(random_graph(rng, 300, inputs=inputs, outputs=40), target, lanes)
        ours = _ours(code)
        assert len(ours) == code.instructions
        assert ours == _objdump(code, tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_the_listing_of_limbs_side_by_side_agrees_with_objdump(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack_always(monkeypatch)
    rng = np.random.default_rng(5)
    for branches in (2, 8):
        code = emit(random_branches(rng, branches, 120, TURNING, differing=0.1), target)
        assert _ours(code) == _objdump(code, tmp_path)


@pytest.mark.parametrize(("target", "lanes"), [("x86_64", 4), ("x86_64_v4", 4), ("x86_64_v4", 8)])
def test_lanes_share_constants_that_would_fill_a_cache(
    target: str, lanes: int, tmp_path: Path
) -> None:
    """1100 numbers of each lane are 35 and 70 kB, more than the nearest cache has."""
    few, many = (
        emit(operations_on_constants(np.random.default_rng(7), count), target, lanes)
        for count in (0, 1100)
    )
    assert many.entry - few.entry == pytest.approx(8 * 1100, abs=64)
    listing = _ours(many)
    assert any("vbroadcastsd" in text for _, text in listing)
    assert any("BCST" in text for _, text in listing) == (target == "x86_64_v4")
    assert listing == _objdump(many, tmp_path)


def _texts(build: Builder, outputs: list[int], target: str) -> list[str]:
    listing = [text for _, text in _ours(emit(build.outputs(*outputs), target))]
    start = 1 if target == "aarch64" else 3  # after the pointer to the constants is set up
    return listing[start:]


def test_a_negated_fused_product_on_aarch64() -> None:
    build = Builder()
    x, u, p = build.input("x", 0), build.input("u", 1), build.input("p", 2)
    assert _texts(build, [-build.node(ops.FNMA, x, u, p)], "aarch64") == [
        "ldr d0, [x0]",
        "ldr d1, [x1, #8]",
        "ldr d2, [x2, #16]",
        "fmsub d2, d0, d1, d2",
        "fneg d2, d2",
        "str d2, [x3]",
        "ret",
    ]


def test_a_negated_fused_product_on_x86_64_reads_one_operand_from_memory() -> None:
    build = Builder()
    x, u, p = build.input("x", 0), build.input("u", 1), build.input("p", 2)
    texts = _texts(build, [-build.node(ops.FNMA, x, u, p)], "x86_64")
    assert [text.split()[0] for text in texts] == [
        "vmovsd", "vmovsd", "vfnmadd231sd", "vxorpd", "vmovsd", "ret",
    ]  # fmt: skip
    assert texts[2].endswith(("QWORD PTR [rdi]", "QWORD PTR [rsi+0x8]"))


@pytest.mark.parametrize("target", TARGETS)
def test_zero_is_made_not_loaded(target: str) -> None:
    build = Builder()
    x = build.input("x", 0)
    value = build.node(ops.ABS, x)
    texts = _texts(build, [build.node(ops.SELECT, value, x, 0)], target)
    made = "movi" if target == "aarch64" else "vxorpd"
    assert sum(text.startswith(made) for text in texts) == 1


@pytest.mark.parametrize("target", TARGETS)
def test_constants_and_inputs_are_read_again_rather_than_spilled(target: str) -> None:
    """Forty inputs used twice need no work memory, although they don't fit into registers."""
    build = Builder()
    inputs = [build.input("x", k) for k in range(40)]
    total = 1
    for node in (*inputs, *inputs):
        total = build.node(ops.FMA, node, build.constant(float(node)), total)
    assert emit(build.outputs(total), target).work_size == 0


@pytest.mark.parametrize("target", TARGETS)
def test_spill_slots_serve_again_when_their_value_is_done(target: str) -> None:
    """However long a program with at most sixty live values is, it needs fewer than sixty slots."""
    build = Builder()
    values = [build.node(ops.SQRT, build.input("x", k)) for k in range(60)]
    for k in range(3000):
        values[k % 60] = build.node(
            ops.FMA, values[k % 60], values[(k * 7 + 1) % 60], values[k % 7]
        )
    assert emit(build.outputs(*values), target).work_size <= 60


def test_an_offset_that_no_instruction_can_hold_is_refused() -> None:
    build = Builder()
    x = build.input("x", 3_000_000)
    program = build.outputs(build.node(ops.SQRT, x))
    with pytest.raises(CompileError, match="reaches 23 MiB, more than the 16 MiB"):
        emit(program, "aarch64")
    assert "[rdi+0x16e3600]" in disassemble(emit(program, "x86_64"))


@pytest.mark.parametrize(("target", "lanes"), [each for each in WIDTHS if "x86" in each[0]])
def test_a_mask_is_read_by_the_instruction_after_it(target: str, lanes: int) -> None:
    """One that nobody reads was meant for a vector register: angles would all seem out of range."""
    code = emit(random_graph(np.random.default_rng(6), 400, TURNING + CHOOSING), target, lanes)
    texts = [text for _, text in _ours(code)]
    made = [(k, m[1]) for k, text in enumerate(texts) if (m := re.match(r"v\w+ (k\d),", text))]
    assert bool(made) == (target == "x86_64_v4")
    for k, mask in made:
        assert re.search(rf"[{{,]{mask}\b", texts[k + 1]), texts[k : k + 2]


@pytest.mark.parametrize("target", TARGETS)
def test_a_comparison_that_only_a_selection_reads_stays_a_mask(target: str) -> None:
    build = Builder()
    x = [build.input("x", k) for k in range(4)]
    condition = build.node(ops.LT, x[0], x[1])
    chosen = build.node(ops.SELECT, condition, x[2], x[3])
    texts = [text.split()[0] for text in _texts(build, [chosen], target)]
    chooses = ["fcmgt", "bsl"] if target == "aarch64" else ["vcmplt_oqsd", "vblendvpd"]
    assert chooses == [text for text in texts if text not in ("ldr", "str", "vmovsd", "ret")]
    shown = _texts(build, [chosen, condition], target)  # also an output: then it is a number
    assert any(text.startswith(("scvtf", "vandpd")) for text in shown)
