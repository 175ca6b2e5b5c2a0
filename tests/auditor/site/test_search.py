"""The search of the site: what is called as one asks comes first."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from auditor.site.content import Content
from auditor.site.names import names, script
from auditor.suite.store import TEMPLATES

SEARCH = TEMPLATES / "site/static/search.js"

QUERIES = {
    "wang-2": "algorithms/wang-2",
    "WANG-2": "algorithms/wang-2",
    "hu-1": "algorithms/hu-1",
    "zhang-3": "algorithms/zhang-3",
    "diss-4.1.19": "algorithms/diss-4.1.19",
    "diss-5.1.32": "algorithms/diss-5.1.32",
    "diss-7.2.55": "algorithms/wang-1",  # another number of it
    "wang-2/E2": "errata/wang-2/E2",
    "erratum wang-2/E3": "errata/wang-2/E3",
    "error hu-2/E5": "errata/hu-2/E5",
    "Theorem 4.1.6": "004/theorem-4.1.6",
    "theorem 4.1.6": "004/theorem-4.1.6",
    "4.1.6": "004/theorem-4.1.6",
    "004 Theorem 4.1.6": "004/theorem-4.1.6",
    "Hu theorem 3": "003/theorem-3",
    "Wang Theorem 6.3.1": "004/theorem-6.3.1",
    "Theorem 6.3.1": "004/theorem-6.3.1",
    "Lemma 2.1.9": "004/lemma-2.1.9",
    "Zhang lemma 3.1": "002/lemma-3.1",
    "002 Lemma 3.1": "002/lemma-3.1",
    "Proposition 2.5": "002/proposition-2.5",
    "000 Theorem 4": "000/theorem-4",
    "000 Lemma 5": "000/lemma-5",
    "Corollary 1": "003/corollary-1",
    "Theorem 5.3.6": "004/theorem-5.3.6",
    "Lemma 7.2.3": "004/lemma-7.2.3",
    "(4.47)": "004/equation-4.47",
    "4.47": "004/equation-4.47",
    "004 (5.37)": "004/equation-5.37",
    "003 (10)": "003/equation-10",
    "Definition 6.3.1": "004/definition-6.3.1",
    "Assumption 4.3.1": "004/assumption-4.3.1",
    "Remark 6.3.1": "004/remark-6.3.1",
    "Table 6.2": "004/table-6.2",
    "Theorem 7.1.4": "004/theorem-7.1.4",
    "Theorem 3.3.4": "004/theorem-3.3.4",
    "Algorithm 6.3.52": "algorithms/diss-6.3.52",
    "004": "004/index",
    "003": "003/index",
    "Theorem 9": "003/theorem-9",
    "Hu sparse optimisation": "algorithms/hu-5",
}
"""Query -> the page that is wanted."""


@pytest.fixture(scope="module")
def first_three(content: Content, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the first three pages of every query, asked of the script itself."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed (Debian: apt-get install nodejs)")
    asked = tmp_path_factory.mktemp("search") / "asked.js"
    asked.write_text(
        f"globalThis.window = {{}};\n{script(content)}"
        f"const {{ pagesCalled }} = require({json.dumps(str(SEARCH))});\n"
        f"const queries = {json.dumps(list(QUERIES))};\n"
        "console.log(JSON.stringify(queries.map((query) =>"
        " pagesCalled(query, window.touchstoneNames, 3).map((page) => page.address))));\n",
        encoding="utf-8",
    )
    ran = subprocess.run(["node", str(asked)], capture_output=True, text=True, check=True)
    return dict(zip(QUERIES, json.loads(ran.stdout), strict=True))


def test_forty_queries_find_their_page_among_the_first_three(
    first_three: dict[str, list[str]],
) -> None:
    assert len(QUERIES) >= 40
    missed = {q: first_three[q] for q, page in QUERIES.items() if page not in first_three[q]}
    assert missed == {}


def test_every_name_leads_to_a_page_of_its_own(content: Content) -> None:
    found = [address for _, address, _ in names(content)]
    assert len(found) == len(set(found))
    assert {"algorithms/wang-2", "004/index", "errata/wang-2/E2", "000/theorem-4"} <= set(found)


def test_the_search_page_alone_loads_the_names(content: Content) -> None:
    page = Path(TEMPLATES / "site/theme/touchstone/search.html").read_text(encoding="utf-8")
    assert "_static/names.js" in page
    assert "_static/search.js" in page
