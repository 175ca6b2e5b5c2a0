"""Each row of ``docs/measured/scaling.md`` says what its recipe claims now."""

from pathlib import Path

from auditor.described import build_case, builders

TABLE = Path(__file__).parents[3] / "docs/measured/scaling.md"


def _rows() -> set[tuple[str, str, str]]:
    """Return algorithm, recipe and claimed slope of the table of twins."""
    text = TABLE.read_text(encoding="utf-8")
    rows = text.split("<!-- twins -->")[1].split("<!--")[0].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row]
    return {(row[0], row[1], row[2]) for row in cells[2:]}


def test_the_table_of_twins_has_every_recipe_with_its_claimed_slope() -> None:
    # most recipes are expensive, and no quick test would notice a slope that claims less; those of
    # an erratum must be violated, and have no twin
    recipes = {
        (identifier, recipe.name, f"{recipe.claimed_slope:.3f}")
        for identifier in builders()
        for recipe in build_case(identifier).scaling
        if recipe.erratum is None
    }
    assert recipes == _rows()
