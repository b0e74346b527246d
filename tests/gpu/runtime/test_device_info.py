import json
from types import SimpleNamespace

import pytest
from fake_cuda import FakeDriver
from gpu_in_tests import missing

from experiments.gpu_bench.ceilings import Bandwidth, Ceilings, Gather, LaunchCost, Reduction
from gpu.runtime import cuda_driver, device_info, library_search, vectors
from gpu.runtime.cuda_driver import NoGpuError
from vecsim.support.errors import UserError


@pytest.fixture
def no_libraries(monkeypatch, tmp_path):
    monkeypatch.setattr(library_search, "load", lambda name: None)
    monkeypatch.setattr(device_info, "KERNEL_MODULE", tmp_path / "version")


def test_a_device_is_described(no_libraries, tmp_path):
    line = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\nGCC 13.2.0\n"
    (tmp_path / "version").write_text(line)
    actual = device_info.describe(FakeDriver(memory=141 << 30))
    assert actual.name == "Fake GPU"
    assert actual.compute_capability == (9, 0)
    assert (actual.multiprocessors, actual.threads_per_multiprocessor) == (132, 2048)
    assert (actual.memory_bytes, actual.l2_bytes) == (141 << 30, 60 << 20)
    assert (actual.clock_mhz, actual.memory_clock_mhz) == (1980, 3201)
    assert actual.nominal_gb_per_s == pytest.approx(2 * 3201e6 * 6144 / 8 / 1e9)
    assert (actual.driver_version, actual.cuda_driver) == ("580.159.04", "13.2")
    assert actual.packages["numpy"]


def test_versions_that_cannot_be_found_are_none(no_libraries):
    actual = device_info.describe(FakeDriver())
    assert actual.driver_version is actual.cuda_runtime is actual.cusparse is None


class Library:
    def cusparseGetProperty(self, which, out):
        out._obj.value = (12, 6, 3)[which]
        return 0

    def cudaRuntimeGetVersion(self, out):
        out._obj.value = 12090
        return 0


def test_versions_of_the_libraries(monkeypatch):
    monkeypatch.setattr(library_search, "load", lambda name: Library())
    actual = device_info.describe(FakeDriver())
    assert (actual.cusparse, actual.cuda_runtime) == ("12.6.3", "12.9")


def test_missing_packages_are_said_in_one_line(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(cuda_driver.importlib, "import_module", absent)
    with pytest.raises(NoGpuError, match=r"pip install 'vecsim\[gpu\]'") as caught:
        cuda_driver.driver.__wrapped__()
    assert "\n" not in str(caught.value)


def test_a_missing_driver_is_said_in_one_line():
    class NoLibrary:
        def cuInit(self, flags):
            raise RuntimeError("libcuda.so.1:\nnot found")

    with pytest.raises(NoGpuError, match="the NVIDIA driver is not installed") as caught:
        cuda_driver.start(NoLibrary())
    assert "\n" not in str(caught.value)


@pytest.fixture
def ceilings() -> Ceilings:
    return Ceilings(
        {"name": "Fake GPU"},
        "2026-11-21T00:00:00+00:00",
        4000.0,
        (Bandwidth(1 << 20, 2000.0), Bandwidth(1 << 22, 8000.0), Bandwidth(1 << 30, 4200.0)),
        (Gather("float32", 1 << 20, 100.0),),
        (Reduction("float32", "coalesced", 200.0),),
        LaunchCost({0: 4.0, 1: 6.0}, 2.5, 1.2),
    )


def test_the_lower_bound_is_every_byte_once_at_the_highest_rate(ceilings):
    bandwidths = ceilings.bandwidths
    assert bandwidths.memory_gb_per_s == 4200
    assert bandwidths.bound_us(4_000_000, 150_000, 50_000, "cold") == pytest.approx(1)
    assert bandwidths.bound_us(4_000_000_000, 100_000_000, 100_000_000, "warm") == pytest.approx(1000)


def test_what_stays_in_the_cache_has_the_cache_s_rate(ceilings):
    assert ceilings.bandwidths.bandwidth(1 << 22, "warm") == 8000
    assert ceilings.bandwidths.bandwidth(1 << 21, "warm") == pytest.approx(5000)  # half way in the logarithm
    assert ceilings.bandwidths.bandwidth(1 << 20, "warm") == 4200  # never below the memory
    assert ceilings.bandwidths.bandwidth(1 << 22, "cold") == 4200


def test_ceilings_survive_json(ceilings):
    document = json.loads(json.dumps(ceilings.document()))
    assert Ceilings.from_document(document) == ceilings


def test_the_context_of_another_library_stays_the_current_one():
    driver = FakeDriver(devices=2)
    driver.context = 7
    cuda_driver.start(driver)
    assert driver.context == 7
    driver.context = 0
    cuda_driver.start(driver)
    assert driver.context == 1


def test_another_library_has_changed_the_current_gpu(monkeypatch):
    now = SimpleNamespace(device=0)
    numba = SimpleNamespace(get_current_device=lambda: SimpleNamespace(id=0))
    monkeypatch.setattr(vectors, "cuda", numba)
    monkeypatch.setattr(vectors, "driver", lambda: SimpleNamespace(cuCtxGetDevice=lambda: (0, now.device)))
    assert vectors.current_device() == 0
    now.device = 1
    with pytest.raises(UserError, match=r"GPU 1 is the current one, but Numba uses GPU 0: use `with"):
        vectors.current_device()


@pytest.mark.skipif(not missing(), reason="there is a GPU")
def test_without_a_gpu_it_is_said():
    with pytest.raises(NoGpuError, match=r"no GPU was found|not installed"):
        device_info.device_info()


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu_to_itself")
def test_the_real_device_is_described():
    actual = device_info.device_info()
    assert actual.multiprocessors > 0
    assert actual.cusparse
    assert 100 < actual.nominal_gb_per_s < 20_000
    assert device_info.l2_bytes() == actual.l2_bytes
