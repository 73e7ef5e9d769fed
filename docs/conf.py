"""Settings of the documentation, and the pages made of the examples' docstrings."""

import ast
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
GENERATED = HERE / "_generated" / "examples"

project = "Touchback"
copyright = "the authors of Touchback"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "Touchback"
exclude_patterns = ["_build", "extending/*.py"]
# Pages that other tools write (validation tables, errors) may not be there yet.
suppress_warnings = ["toc.empty_glob"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"


def example_page(script: Path) -> str:
    """A page: the docstring, the picture that the example draws, and its text."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    title, _, *words = (ast.get_docstring(tree) or "").splitlines()
    begin = (tree.body[0].end_lineno or 0) + 2  # after the docstring, which is the page's text
    picture = HERE / "pictures" / "examples" / f"{script.stem}.png"
    image = f"![What it draws](/pictures/examples/{picture.name})\n" if picture.is_file() else ""
    text = ["```{literalinclude} /../examples/" + script.name, ":language: python"]
    text += [f":lines: {begin}-", "```", ""]
    return "\n".join([f"# {title}", *words, "", image, *text])


def write_example_pages(app: Sphinx) -> None:
    """Writes the pages of the examples before Sphinx reads its sources."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    for script in sorted(EXAMPLES.glob("[0-9][0-9]_*.py")):
        page, text = GENERATED / f"{script.stem}.md", example_page(script)
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def keep_bars(
    app: Sphinx, what: str, name: str, item: object, options: object, lines: list[str]
) -> None:
    """In docstrings |u| is a norm, not a substitution of reStructuredText."""
    lines[:] = [line.replace("|", r"\|") for line in lines]


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", write_example_pages)
    app.connect("autodoc-process-docstring", keep_bars)
