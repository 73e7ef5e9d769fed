"""What is said of the package in several places is the same in all."""

import tomllib
from pathlib import Path

import yaml

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
