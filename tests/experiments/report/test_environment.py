import re
import sys

import experiments.report.environment as environment
from vecsim.results.provenance import of_command, provenance


def test_what_made_a_report():
    with of_command(["vecsim", "reproduce", "a b"]):
        appendix = environment.made_by()
        built = provenance()
    assert appendix.table is not None
    facts = dict(appendix.table.rows)
    assert facts["python"] == sys.version.split()[0]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", facts["made"])
    assert facts["command"] == "vecsim reproduce 'a b'"
    assert facts["commit"] == str(built.commit)
    assert facts.items() >= built.versions.items()
