"""`python -m validation`: run the published cases and write their agreement tables for the docs."""

import argparse
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "docs" / "validation_tables.inc"


class Collector:
    """Gathers the tables that tests leave in their reports, and why tests were skipped."""

    def __init__(self) -> None:
        self.tables: list[dict[str, Any]] = []
        self.skipped: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            self.skipped.append(f"{report.nodeid}: {reason}")
        if report.when == "teardown":
            self.tables += [table for name, table in report.user_properties if name == "agreement"]  # type: ignore[misc]

    def page(self) -> str:
        """The tables as Markdown, one section for each published source."""
        lines: list[str] = []
        about = ""
        for table in self.tables:
            if table["about"] != about:
                about = table["about"]
                title, _, rest = about.partition("\n")
                lines += [f"### {title.rstrip('.')}", "", rest.strip(), ""]
            lines += [f"**{table['case']}**", "", "| quantity | largest | difference | allowed |"]
            lines += ["|---|---|---|---|"]
            for row in table["rows"]:
                numbers = f"{row['largest']:.5g} | {row['difference']:.1e} | {row['allowed']:.1e}"
                lines += [f"| {row['quantity']} | {numbers} |"]
            lines += [""]
        if self.skipped:
            lines += ["Not run here:", "", *(f"- {line}" for line in self.skipped), ""]
        return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run, print, write the tables; the exit status of pytest."""
    argparse.ArgumentParser(prog="python -m validation", description=__doc__).parse_args(arguments)
    collector = Collector()
    status = pytest.main([str(FOLDER), "-s", "-p", "no:cacheprovider"], plugins=[collector])
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(collector.page(), encoding="utf-8")
    print(f"\nThe tables are in {PAGE.relative_to(FOLDER.parent)}.")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
