"""What is said of the package in several places is the same in all."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(path: str) -> dict:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    recipe = read("packaging/conda/recipe.yaml")
    assert recipe["package"] == {"name": PROJECT["name"], "version": PROJECT["version"]}
    python, *others = (each.replace(" ", "") for each in recipe["requirements"]["run"])
    assert python == "python" + PROJECT["requires-python"]
    assert others == PROJECT["dependencies"]
    (script,) = recipe["build"]["python"]["entry_points"]
    assert script == "touchback = " + PROJECT["scripts"]["touchback"]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["summary"] == PROJECT["description"]


def test_the_citation_is_of_this_version() -> None:
    citation = read("CITATION.cff")
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    assert {"cff-version", "message", "title", "authors"} <= set(citation)


def lock() -> list[Requirement]:
    lines = (ROOT / "test.lock").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line]


@pytest.mark.parametrize("machine", ["aarch64", "x86_64"])
def test_the_lock_file_has_a_version_of_every_package_that_tests_need(machine: str) -> None:
    """On both processors, within the bounds; if not: `make lock`."""
    here = {"platform_machine": machine, "python_full_version": "3.11.7", "python_version": "3.11",
            "sys_platform": "linux", "platform_system": "Linux"}  # fmt: skip
    held = {canonicalize_name(each.name): each for each in lock()
            if each.marker is None or each.marker.evaluate(here)}  # fmt: skip
    extras = PROJECT["optional-dependencies"]
    named = re.search(r"\[(.*)\]", extras["dev"][0])
    assert named
    wanted = [*PROJECT["dependencies"], *extras["dev"][1:]]
    wanted += [each for extra in named[1].split(",") for each in extras[extra]]
    for need in map(Requirement, wanted):
        if need.marker is None or need.marker.evaluate(here):
            (pinned,) = held[canonicalize_name(need.name)].specifier
            assert pinned.operator == "=="
            assert need.specifier.contains(pinned.version), f"{need}: {pinned}; run `make lock`"


def test_the_lock_file_names_no_hosts_and_no_folders() -> None:
    assert not [each for each in lock() if each.url]
    assert "/" not in (ROOT / "test.lock").read_text(encoding="utf-8")


def test_what_the_package_needs_has_a_lower_bound() -> None:
    for need in map(Requirement, PROJECT["dependencies"]):
        assert any(each.operator == ">=" for each in need.specifier), f"{need} has none"
