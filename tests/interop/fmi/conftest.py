"""FMUs, each built once: a build takes longer than what is asked of it."""

from collections.abc import Callable, Iterator

import pytest

from fmus import MAKERS, Written
from touchback.interop.export_targets import generate


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, int], Written]]:
    patched = pytest.MonkeyPatch()
    plain = ("-std=c11", "-O0", "-ffp-contract=off")  # the same numbers, built in half the time
    patched.setattr("touchback.interop.fmi.fmu_binary.OPTIONS", plain)
    known: dict[tuple[str, int], Written] = {}
    folder = tmp_path_factory.mktemp("fmus")

    def write(name: str, version: int) -> Written:
        if (name, version) not in known:
            model = MAKERS[name]()
            [path] = generate(model, "fmu", folder / f"{name}{version}.fmu", version=version)
            known[name, version] = Written(model.compile(), path, version)
        return known[name, version]

    yield write
    patched.undo()
