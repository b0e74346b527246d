"""Names of variants, read back."""

import numpy as np
import pytest

from gpu.compound import QUATERNION
from gpu.compound.component_layout import ComponentLayout
from gpu.compound.device_compound import Layout
from gpu.compound.schedule import Schedule
from gpu.compound.tuning import Variant, joint_variants
from gpu.compound.tuning.variants import variant_named
from vecsim.support.errors import UserError


def test_every_variant_is_found_by_its_name():
    tried = joint_variants(QUATERNION, np.float32)[::7]
    assert [variant_named(variant.name) for variant in tried] == tried


def test_all_numbers_are_read():
    layout = Layout("sorted-32-short", ComponentLayout(None, 4), ComponentLayout(32, 2))
    wanted = Variant(layout, Schedule("static", 96, 12, threads_per_row=2, rows_per_thread=3, at_once=8))
    assert variant_named(wanted.name) == wanted


@pytest.mark.parametrize(
    "name", ["", "csr-AoS-AoS", "bsr-AoS-AoS | whole 256", "csr-AoS-AoS | whole 256 at once"]
)
def test_other_names_are_refused(name):
    with pytest.raises(UserError, match="is not a variant; write LAYOUT"):
        variant_named(name)
