"""Breaks random lines of a room and counts what the tests notice (`python tests/mutate --count 50
--room vehicle`; `make mutate ROOM=vehicle`).

Each mutant is one small change: another operator, comparison, constant, sign or returned value, a
dropped statement, swapped arguments; of C too in the room `native`. It is made in a private copy of
the project, where the tests of the room and those that mention it run until one fails: noticed, as
are crashes and tests that don't end. First every file of tests runs once without a mutant, in a
process of its own, which shows what reaches which line; a mutant then meets the quickest tests that
reach its line first, and after them all files of which one does.

Survivors are shown as a patch, with the command that repeats them. Those that change nothing that
anybody could see are listed with a reason in tests/mutate/equivalent.toml, and don't count. What
was found is kept in build/mutate: the same command goes on where it was stopped. The exit status
says whether any mutant survived.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path

from chosen_tests import files_of_room, test_files
from mutant import Mutant
from private_copy import Project
from verdicts import Verdict, Workshop, chosen, equivalents, judge_all, mutants_of, rooms_of, table


def say(text: str) -> None:
    print(text, flush=True)


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="mutate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--room", action="append", default=[], help="to be broken; several; every one if not given")
    add("--count", type=int, default=50, help="of mutants in each room (50)")
    add("--seed", type=int, default=0, help="by which they are drawn (0)")
    add("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="at the same time")
    add("--only", action="append", default=[], metavar="NAME", help="this mutant, once more")
    add("--budget", type=float, default=300.0,
        help="seconds of tests that a mutant meets at most (300; 0: all)")  # fmt: skip
    add("--all-tests", action="store_true", help="of every room, not just those that mention it")
    add("--json", type=Path, metavar="FILE", help="all verdicts and the counts")
    add("--fresh", action="store_true", help="without what earlier runs have found")
    add("--root", type=Path, default=Path(__file__).resolve().parents[2], help=argparse.SUPPRESS)
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    given = arguments(words)
    project = Project(given.root.resolve())
    every = rooms_of(project)
    rooms = given.room or sorted({name.rpartition("-")[0] for name in given.only}) or every
    if unknown := [room for room in rooms if room not in every]:
        raise SystemExit(f"There is no room {unknown[0]!r}; rooms: {', '.join(every)}.")
    known = equivalents(project.root / "tests" / "mutate" / "equivalent.toml")
    verdicts: list[Verdict] = []
    mutants: dict[str, Mutant] = {}
    shop = Workshop(project, project.root / "build" / "mutate", given.jobs)
    if given.fresh or given.only:
        shop.before = {}
    try:
        for room in rooms:
            everything = mutants_of(project, room)
            candidates, count = chosen(everything, f"{given.seed}:{room}"), given.count
            if given.only:
                named = {m.name: m for m in everything if m.name in given.only}
                candidates, count = iter(named.values()), len(named)
            files = files_of_room(project, room)
            if given.all_tests:
                files += [name for name in test_files(project) if name not in files]
            say(f"{room}: {count} of {len(everything)} mutants, {len(files)} files of tests")
            if not files:
                say(f"{room}: no file of tests mentions it; take --all-tests")
                continue
            judged = judge_all(shop, room, candidates, count, files, given.budget, known, say)
            for mutant, verdict in judged:
                mutants[mutant.name] = mutant
                verdicts.append(verdict)
    except KeyboardInterrupt:
        say("\nstopped; the same command goes on from here")
    finally:
        shop.close()
    if lost := set(given.only) - set(mutants):
        raise SystemExit(f"There is no mutant {', '.join(sorted(lost))} any more.")
    for each in verdicts:
        if each.outcome == "survived":
            say(f"\n{each.name} survived {each.tests} tests ({each.kind})")
            say(mutants[each.name].diff().rstrip())
            say(f"Repeat with: python tests/mutate --only {each.name}")
    say(f"\n{table(verdicts)}")
    if given.json:
        shown = {v.name: mutants[v.name].diff() for v in verdicts if v.outcome == "survived"}
        content = {
            "seed": given.seed, "count": given.count, "verdicts": [asdict(v) for v in verdicts],
            "survivors": shown, "table": table(verdicts),
        }  # fmt: skip
        given.json.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return int(any(each.outcome == "survived" for each in verdicts))


if __name__ == "__main__":
    for ending in (signal.SIGINT, signal.SIGTERM):  # both end what runs and remove the copies
        signal.signal(ending, signal.default_int_handler)
    sys.exit(main())
