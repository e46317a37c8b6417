"""Every input that is kept, and every one that broke an invariant once, is read as any input must be."""

from pathlib import Path

import pytest

from tests.extras import require
from tests.kit_fuzzing.kept_inputs import BUDGET, KEPT, inputs_of
from tests.kit_fuzzing.targets import EXTRAS, TARGETS

INPUTS = [(target, path) for target in TARGETS for path in inputs_of(target)]


@pytest.mark.parametrize(("target", "path"), INPUTS, ids=[f"{target}-{path.name}" for target, path in INPUTS])
def test_an_input_ends_with_a_status_and_at_most_one_line_of_error(target: str, path: Path, tmp_path: Path) -> None:
    if target in EXTRAS:
        require(EXTRAS[target])
    TARGETS[target].check(path.read_bytes(), tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_each_target_has_kept_inputs_within_the_budget(target: str) -> None:
    sizes = [path.stat().st_size for path in (KEPT / target).iterdir()]
    assert 0 < sum(sizes) <= BUDGET
