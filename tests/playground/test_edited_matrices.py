"""Products on a matrix that the page has edited."""

import pytest

from programs.registry import PROGRAMS
from vecsim.data import load
from vecsim.machine import load_machine
from vecsim.playground import lessons
from vecsim.playground.worker.classroom import Classroom
from vecsim.playground.worker.products import LARGEST, on_matrix
from vecsim.support.errors import UserError

MACHINE = load_machine("vs2003")
MATRIX = {"shape": [3, 5], "entries": [[2, 4, -2.5], [0, 1, 3.0]]}


@pytest.fixture(scope="module")
def products():
    """Return the lessons of all products on a small matrix."""
    return {name: lessons._product(name, load("dense-8"), MACHINE) for name in PROGRAMS}


@pytest.fixture(scope="module")
def room(products):
    return Classroom([lesson.to_plain() for lesson in products.values()], {}, engine="simpy")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_own_matrix_is_laid_out_as_before(name, products):
    lesson = products[name]
    assert on_matrix(lesson, {"shape": lesson.shape, "entries": lesson.entries}, MACHINE) == lesson


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_product_runs_on_a_changed_matrix_and_another_section_size(name, products, room):
    asked = {"do": "run", "lesson": products[name].key, "text": products[name].text, "matrix": MATRIX}
    done = room.answer({**asked, "changes": {"section_size": 16}})
    assert (done["product"], len(done["memory"][0]["values"])) == ("", 3)
    assert room.answer({**asked, "matrix": None})["product"] == ""
    wrong = room.answer({**asked, "text": "halt"})["product"]
    assert wrong.startswith("y[0] is 0, expected ")


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (
            {"shape": [LARGEST + 1, 2], "entries": []},
            "an extent of the matrix is 65; it must be from 1 to 64",
        ),
        ({"shape": [2, 2], "entries": [[2, 0, 1]]}, "a row is 2; it must be from 0 to 1"),
        ({"shape": [2, 2], "entries": [[0, 0, "x"]]}, "row 0, column 0: 'x' is no number of 32 bits"),
        ({"shape": [2, 2], "entries": [[0, 0, 1e39]]}, "row 0, column 0: 1e\\+39 is no number of 32 bits"),
        ({"shape": [2, 2], "entries": [[0, 0, 1]] * 2}, "an entry of the matrix is there twice"),
    ],
)
def test_a_matrix_that_cannot_be_edited_is_one_line(matrix, message, products):
    with pytest.raises(UserError, match=message):
        on_matrix(products["crs"], matrix, MACHINE)
