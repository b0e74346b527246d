"""All tests of this folder need a GPU."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.gpu)


@pytest.fixture(scope="session", autouse=True)
def kernels(tmp_path_factory):
    # A kernel that one worker has compiled the others find in the folder.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VECSIM_KERNELS", str(tmp_path_factory.getbasetemp().parent / "kernels"))
        yield
