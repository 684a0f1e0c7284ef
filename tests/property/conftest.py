"""Elements and models that the laws are tried on."""

from __future__ import annotations

import pytest

from tests.block_case import BlockCase
from tests.property.element_zoo import ZOO


@pytest.fixture(params=ZOO)
def element_zoo(request: pytest.FixtureRequest) -> BlockCase:
    """Every kind of element in turn."""
    return ZOO[request.param]
