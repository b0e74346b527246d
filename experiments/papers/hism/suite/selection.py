"""How the suite was chosen: ``python -m experiments.papers.hism.suite.selection`` writes suite.csv again.

The paper chose 132 of the Matrix Market's matrices, "taking care not to select similar matrices in terms of
application, size and sparsity patterns", and states range and mean of three criteria. This suite was chosen
from what is available, by these statistics alone. No matrix was run before the choice.

`survey` wrote down what could be chosen (candidates.csv), and `choice` chooses. There are no random numbers:
the same candidates give the same suite.
"""

import sys

from experiments.papers.hism.suite.candidates import candidates
from experiments.papers.hism.suite.choice import choose
from experiments.papers.hism.suite.member import SUITE_FILE, Member, write_members


def select() -> list[Member]:
    """Return the suite, by rising size."""
    return [candidate.member for candidate in choose(candidates())]


def main() -> int:
    """Choose, and write suite.csv next to this module."""
    suite = select()
    sys.stdout.write(f"{write_members(suite, SUITE_FILE)}: {len(suite)} matrices\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
