import pytest
from programs import TINY, succeed


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """A folder with the pipeline of `blur` as the plug-in saves it: NAME.hlpipe and so on, NAME is `output`."""
    folder = tmp_path_factory.mktemp("saved")
    succeed("schedule", TINY, "-g", "blur", "-t", "x86-64-linux-avx2-no_runtime", f"autoscheduler.save={folder}")
    return folder


@pytest.fixture(scope="session")
def pipeline(saved):
    (path,) = saved.glob("*.hlpipe")
    return path


@pytest.fixture(scope="session")
def schedule(saved):
    (path,) = saved.glob("*.schedule.json")
    return path
