"""Generated projects of C on a Cortex-M7: what they take of it; and how long generated text is."""

import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

from benchmarks.report import Section
from touchback import Model, gallery, generate
from touchback.interop.mbs.mbs_reader import read_mbs
from validation.reference.robotran import mbs_text

STEPS = 50
MODELS = {
    "pendulum": 1e-3,
    "slider-crank": 1e-3,
    "crank-rocker": 1e-3,
    "stewart-platform": 1e-3,
    "harpsichord": 1e-4,
}
"""Names of the gallery, and the step of each [s]."""
# Characters of what ROBOTRAN generates for the equations of constrained motion of the MX5 car
# (dirdyna, cons_hJ, cons_jdqd), at commit 2216243 of github.com/maximemchlt/Robotran_Mazda_MX5.
LANGUAGE, ROBOTRAN = "python", 218231 + 57875 + 34615


def run() -> Section:
    """Flash, memory and instructions a step of each model in emulation."""
    section = Section(
        "Generated projects on a Cortex-M7 (qemu, a step of rk4)",
        ["model", "flash", "memory", "instructions a step", "equations", "library"],
    )
    if not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")):
        section.remark("Skipped: there is no arm-none-eabi-gcc or qemu-system-arm.")
    else:
        for name, step in MODELS.items():
            _measure(section, name, gallery.entry(name).make(), step)
    _compare_texts(section)
    section.remark(
        "Flash and memory in bytes (-Os; memory without stack), equations and library as text. "
        "Instructions are counted by qemu; a real processor takes one to a few cycles for each."
    )
    return section


def _measure(section: Section, name: str, model: Model, step: float) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        generate(model, "c-project", folder, step=step)
        subprocess.run(
            ["make", "-s", "cortex-m7", f"STEPS={STEPS}"], cwd=folder, check=True,
            capture_output=True,
        )  # fmt: skip
        sized = ["arm-none-eabi-size", "build/cortex-m7/model.elf"]
        flash, data, bss = subprocess.check_output(sized, cwd=folder, text=True).split()[6:9]
        told = subprocess.check_output(["make", "-s", "run-cortex-m7"], cwd=folder, text=True)
        count = told.split("instructions a step: ")[1].split()[0]
        texts = [
            sum(path.stat().st_size for path in (folder / part).rglob("*.[ch]"))
            for part in ("equations", "touchback")
        ]
    row = [int(flash), int(data) + int(bss), int(count), *texts]
    section.rows.append([name, *map(str, row)])
    section.records.append({"model": name, **dict(zip(section.columns[1:], row, strict=True))})


def _compare_texts(section: Section) -> None:
    """The same equations, closure included, in the same language."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is not read of the file
        system = read_mbs(mbs_text("robotran_mx5")).compile()
    ours = sum(len(system.generate(each, LANGUAGE)) for each in ("terms", "positions"))
    section.remark(f"MX5 car in {LANGUAGE}: {ours} characters, ROBOTRAN's {ROBOTRAN}.")
    section.records.append({"text of": "MX5 car", "ours": ours, "ROBOTRAN": ROBOTRAN})
