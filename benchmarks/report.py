"""What a section gives, the tables, and the JSON file with machine, commit and versions."""

import json
import os
import platform
import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
PACKAGES = ("touchback", "numpy", "pin", "mujoco", "casadi", "exudyn")


@dataclass(frozen=True)
class Target:
    """A row of the design's table of targets: what was asked and what was found."""

    what: str
    asked: str
    found: str
    met: bool


@dataclass
class Section:
    """One table: columns, rows of text, remarks below it, and the same as data."""

    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)

    def remark(self, text: str) -> None:
        """Say something once below the table."""
        if text not in self.remarks:
            self.remarks.append(text)


def show(section: Section, console: Console) -> None:
    """Print a section."""
    table = Table(title=section.title, title_justify="left", title_style="bold")
    for i, column in enumerate(section.columns):
        table.add_column(column, justify="left" if i == 0 else "right", overflow="fold")
    for row in section.rows:
        table.add_row(*row)
    console.print(table)
    for remark in section.remarks:
        console.print(f"  {remark}", style="dim", highlight=False)
    console.print()


def show_targets(sections: list[Section], console: Console) -> None:
    """Print every target that the sections measured."""
    targets = [target for section in sections for target in section.targets]
    if not targets:
        return
    table = Table(title="Targets", title_justify="left", title_style="bold")
    for column in ("what", "target", "found", ""):
        table.add_column(column, overflow="fold")
    for target in targets:
        met = "[green]met[/]" if target.met else "[red]missed[/]"
        table.add_row(target.what, target.asked, target.found, met)
    console.print(table)


def about() -> dict[str, Any]:
    """Machine, commit, versions, date."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "HEAD"),
        "changed files": len(_git("status", "--porcelain", "--", "src").splitlines()),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "compiler": _first_line(["gcc", "--version"]),
        "versions": {package: _version(package) for package in PACKAGES},
    }


def write(sections: dict[str, Section], where: dict[str, Any], folder: Path) -> Path:
    """Write bench-<date>.json into a folder; sections by the names that commands give them."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"bench-{where['date'].replace(':', '').replace('+0000', 'Z')}.json"
    made = sections.values()
    targets = [vars(target) for section in made for target in section.targets]
    content = {
        "about": where,
        "commands": {section.title: name for name, section in sections.items()},
        "sections": {section.title: section.records for section in made},
        "remarks": {section.title: section.remarks for section in made},
        "targets": targets,
    }
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    return file


def microseconds(seconds: float) -> str:
    """Three digits that matter."""
    value = 1e6 * seconds
    return f"{value:.3f}" if value < 10 else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _git(*words: str) -> str:
    return _first_lines(["git", "-C", str(ROOT), *words])


def _first_line(command: list[str]) -> str:
    return (_first_lines(command).splitlines() or ["none"])[0]


def _first_lines(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    wanted = ("model name", "CPU implementer", "CPU part")
    found = {line.partition(":")[0].strip(): line.partition(":")[2].strip() for line in lines}
    return ", ".join(f"{name} {found[name]}" for name in wanted if name in found)
