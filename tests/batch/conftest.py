"""Graphics cards: the stand-in, and the one of this machine where there is one."""

import pytest

from tests.batch.host_card import HostCard
from touchback.batch.gpu import gpu_executor
from touchback.batch.gpu.gpu_executor import GpuDevice, find_device


def cards() -> list[GpuDevice]:
    real = find_device()
    return [HostCard()] if isinstance(real, str) else [HostCard(), real]


@pytest.fixture(params=cards(), ids=lambda card: card.name)
def card(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> GpuDevice:
    """The card that batches find."""
    monkeypatch.setattr(gpu_executor, "find_device", lambda: request.param)
    return request.param
