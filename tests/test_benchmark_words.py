"""What benchmarks say where something is missing."""

import gc

import pytest

from benchmarks.__main__ import main
from benchmarks.engines import pinocchio
from benchmarks.engines.build import Unavailable
from benchmarks.mechanisms import make


def test_sections_that_a_quick_run_leaves_out_are_refused_as_such(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["batches", "--quick"])
    assert "there is no section 'batches' with --quick; there are chains" in capsys.readouterr().err


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_peer_that_could_not_be_made_goes_without_a_word(monkeypatch) -> None:
    def missing() -> list[str]:
        raise Unavailable("no headers")

    monkeypatch.setattr(pinocchio, "header_flags", missing)
    with pytest.raises(Unavailable):
        pinocchio._Engine(make("chain", 2))
    gc.collect()
