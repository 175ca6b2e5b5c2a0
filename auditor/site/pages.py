"""The pages as Markdown: one function for each sort, all of them in :func:`all_pages`."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from auditor.conformance import store
from auditor.conformance.kinds import Case
from auditor.core import addresses
from auditor.core.errors import visible
from auditor.core.plurals import counted
from auditor.described import build_case
from auditor.questions.ranges import ranges
from auditor.site import key
from auditor.site.calculator import prefilled
from auditor.site.coded.what_to_code import what_to_code
from auditor.site.content import ROOT, Content
from auditor.site.formulas.scripts import with_scripts
from auditor.site.worst_errors import ERRORS
from auditor.suite.certainty import weakest
from auditor.suite.errata import HEADLINE, count, reproduce_command
from auditor.suite.plan import CORRECTED
from auditor.suite.proofs import all_steps, premises
from auditor.suite.report_page import TITLES, family
from auditor.suite.report_text import pretty
from auditor.suite.rerun import command
from auditor.suite.store import TEMPLATES
from proofs_checks import verdicts
from proofs_checks.statement import Statement
from proofs_checks.symbols import but_for, explained, with_legend
from proofs_checks.verdicts import CLAIMS, PRINTS, meaning
from reference.catalogue import PAPERS, SEVERITIES, Entry, Erratum, PrintedForm

_ORIGINS = {
    "mathematical": "false whatever the typography",
    "misprint": "wrong only as printed",
    "unclear": "unclear whether the mathematics or the print is wrong",
}
API = (
    "reference.privacy.guarantees", "reference.privacy.ledger", "reference.privacy.mechanisms",
    "reference.privacy.accounting", "reference.privacy.calibration", "reference.losses",
    "reference.constraint_sets", "reference.em.models", "reference.catalogue",
)  # fmt: skip
"""Modules with a page of their own in the API, beside ``auditor``."""

CODED = ("privacy", "sensitivity", "accounting", "implementation")
"""Kinds of errata that are wrong in code as well, not in a proof or a rate alone."""

ON_PRIVACY = ("privacy", "sensitivity", "accounting")
"""Kinds of errata on account of which a claim of privacy is wrong; the others are of utility."""

CLAIM_KINDS = {"Privacy": ("privacy", "sensitivity"), "Utility": ("utility",)}
"""Kinds of the statements on which each claim of an algorithm rests."""

MOST = 3
"""Statements that a verdict names, at most."""

UNJUDGED = ("definition", "not judged")
_WORST_PRINTS = ["as printed", "misprint", "doubtful copy", "false"]
_WORST_CLAIMS = ["definition", "holds", "holds if repaired", "open", "fails"]

CONTENTS = """```{contents} On this page
:local:
:depth: 1
:backlinks: none
```"""

LONG_PAGE = 4500
"""Characters of Markdown from which the page of a statement or erratum has a table of contents."""

LONGEST = 700
"""Characters of a sentence with figures that a page shows."""


@dataclass(frozen=True)
class Released:
    """The version of the project that a citation names.

    Attributes
    ----------
    version, commit : str
    year : str
        Empty if it is not known.
    base : str
        The site's own address, with a slash at its end; empty if it is not known.
    """

    version: str
    commit: str
    year: str
    base: str = ""

    def absolute(self, address: str) -> str:
        """Return where a page is, for those who have not got the site before them."""
        return f"{self.base}{address}.html" if self.base else f"/{address}"


class Pages:
    """Makes pages from the content.

    Parameters
    ----------
    content : Content
    released : Released
    """

    def __init__(self, content: Content, released: Released) -> None:
        self._content, self._released = content, released
        loader = jinja2.FileSystemLoader(TEMPLATES / "site")
        options: dict[str, Any] = {
            "loader": loader,
            "undefined": jinja2.StrictUndefined,
            "trim_blocks": True,
            "lstrip_blocks": True,
        }
        self._markdown = jinja2.Environment(autoescape=False, **options)
        self._html = jinja2.Environment(autoescape=True, **options)
        self._markdown.filters.update(
            t=partial(_role, "typeset"),
            plain=partial(_role, "plain"),
            f=partial(_role, "formula"),
            struck=partial(_role, "struck"),
            fold=_fold,
            cell=lambda text: _role("typeset", text).replace("|", r"\|"),
            short=_short,
            line=lambda text: " ".join(text.split()),
            derivation=_derivation,
            pretty=pretty,
            slug=lambda address: re.sub(r"[^a-z0-9]+", "-", address.casefold()),
            absolute=released.absolute,
            code=lambda entry: f"{entry.function.__module__}:{entry.function.__qualname__}",
            but_for=but_for,
            explained=explained,
            verdict=key.of_statement,
            badge=key.badge,
            severity=lambda severity: key.badge("Severity", severity, severity.lower()),
            print_badge=lambda s: key.badge("Print", s.print, key.colour_of(s)),
            claim_badge=lambda s: key.badge("Claim", f"claim {s.claim}", key.claim_colour_of(s)),
            lines=_lines,
            form_code=_form_code,
            with_legend=with_legend,
            all_steps=all_steps,
            premises=premises,
            worst_errata=_worst,
            paper_page=addresses.of_paper,
            protection=_protection,
            summary=lambda entry: _summary(entry.function),
            to_statement=lambda key: _link(key, addresses.of_statement(key)),
            to_erratum=lambda name: _link(name, addresses.of_erratum(name)),
            to_algorithm=lambda name: _link(name, addresses.of_algorithm(name)),
        )
        self._markdown.globals.update(
            released=released,
            version=released.version,
            contents=CONTENTS,
            fold_end=_raw("</details>"),
        )
        self._html.filters.update(line=lambda text: Markup(with_scripts(text)))

    def all(self) -> Iterator[tuple[str, str]]:
        """Return the address and the text of every page that is made from content."""
        content = self._content
        yield "index", self._index()
        yield "papers", self.render("papers", papers=PAPERS, paper_counts=self._paper_counts())
        for label in PAPERS:
            yield addresses.of_paper(label), self._paper(label)
        for statement in content.statements.values():
            yield addresses.of_statement(statement.key), self._statement(statement)
        yield "errata/index", self._errata()
        yield "errors-that-matter", self._matters()
        yield "key", self.render("key", key=key.KEY, anchor=key.anchor)
        for erratum in content.errata.values():
            yield addresses.of_erratum(erratum.name), self._erratum(erratum)
        for gone in content.withdrawn.values():
            yield addresses.of_erratum(gone.name), self.render("withdrawn", w=gone)
        yield "algorithms/index", self._algorithms()
        for entry in content.entries.values():
            yield addresses.of_algorithm(entry.id), self._algorithm(entry)
            for alias in entry.aliases:
                yield addresses.of_algorithm(alias), self.render("alias", alias=alias, a=entry)
        yield "api/index", self.render("api", modules=("auditor", *API))
        for name in ("auditor", *API):
            yield f"api/{name}", self._module(name)

    def render(self, template: str, **context: Any) -> str:
        """Return the text of a page."""
        text = self._markdown.get_template(f"{template}.md").render(**context)
        return visible(re.sub(r"\n{3,}", "\n\n", text).lstrip())

    # --------------------------------------------------------------------- statements

    def _statement(self, statement: Statement) -> str:
        content = self._content
        item = content.checked.get(statement.key)
        address = addresses.of_statement(statement.key)
        paper = PAPERS[statement.paper]
        line = (
            f"{statement.number} of {paper.short}: {_words(statement)}"
            f"{self._named(statement.errata)}. {self._where(address)}"
        )
        section = f"{addresses.of_paper(statement.paper)}#{_section_anchor(statement.section)}"
        above = [*_above(statement.paper), (f"section {statement.section}", section)]
        text = self.render(
            "statement",
            s=statement,
            crumbs=self._crumbs(address, above, statement.number),
            paper=paper,
            item=item,
            meaning=meaning(statement.print, statement.claim),
            errata=[content.errata[name] for name in statement.errata],
            algorithms=self._entries(statement.algorithms),
            cites=[content.statements[key] for key in item["cites"]] if item else [],
            implies=statement.special_case_of,
            implied=content.implied.get(statement.key, ()),
            command=shlex.join(["touchstone", "proofs", statement.key]),
            line=line,
            address=address,
        )
        return _with_contents_if_long(text)

    def _named(self, errata: Sequence[str]) -> str:
        if not errata:
            return ""
        return f" ({'erratum' if len(errata) == 1 else 'errata'} {', '.join(errata)})"

    def _where(self, address: str) -> str:
        return f"Touchstone {self._released.version}, {self._released.absolute(address)}"

    def _entries(self, identifiers: Sequence[str]) -> list[Entry]:
        known = self._content.entries
        return [known[identifier] for identifier in identifiers if identifier in known]

    def _paper(self, label: str) -> str:
        found = [s for s in self._content.statements.values() if s.paper == label]
        algorithms = [
            (source.number, entry)
            for entry in self._content.entries.values()
            for source in entry.sources
            if source.label == label
        ]
        algorithms.sort(key=lambda item: _by_number(item[0]))
        errata = [e for e in self._content.errata.values() if label in self._papers_of(e)]
        return self.render(
            "paper",
            label=label,
            paper=PAPERS[label],
            statements=found,
            counts=self._paper_counts()[label],
            algorithms=algorithms,
            errata=errata,
            headline=HEADLINE,
            lesser=sum(e.severity not in HEADLINE for e in errata),
            table=self._table(label, found) if found else "",
            unchecked=[s for s in found if s.print == "not judged"],
            nothing="The copy at hand has no formulas; its statements are those of "
            f"[002](/{addresses.of_paper('002')}.md), the same paper.",
        )

    def _papers_of(self, erratum: Erratum) -> set[str]:
        """Return the labels of the papers that print an erratum."""
        about = {statement.paper for statement in self._content.about.get(erratum.name, ())}
        owners = self._content.owners[erratum.name]
        return about or {source.label for entry in owners for source in entry.sources}

    def _table(self, label: str, statements: Sequence[Statement]) -> str:
        page = addresses.of_paper(label)
        rows = []
        sections = {item.section: item.key for item in reversed(statements)}
        for item in statements:
            checked = self._content.checked.get(item.key)
            rows.append(
                {
                    "href": addresses.relative(page, addresses.of_statement(item.key)),
                    "number": item.number,
                    "section": f"section {item.section}",
                    "anchor": _section_anchor(item.section)
                    if sections[item.section] == item.key
                    else "",
                    "print": item.print,
                    "claim": item.claim,
                    "kind": key.colour_of(item),
                    "meaning": meaning(item.print, item.claim),
                    "severity_meaning": SEVERITIES[item.severity].partition(":")[0]
                    if item.severity
                    else "",
                    "severity": item.severity,
                    "level": checked["level"] if checked else "",
                    "but": Markup(with_scripts(but_for(checked["absent"]))) if checked else "",
                    "formula": Markup(with_scripts(item.printed)),
                }
            )
        text = self._html.get_template("table.html").render(
            rows=rows,
            sections={section: _section_anchor(section) for section in reversed(sections)},
            prints=[word for word in PRINTS if word in {row["print"] for row in rows}],
            claims=[word for word in CLAIMS if word in {row["claim"] for row in rows}],
            severities=sorted({row["severity"] for row in rows if row["severity"]}),
            levels=sorted({row["level"] for row in rows if row["level"]}),
        )
        return re.sub(r"\n\s*", "\n", text)

    def _paper_counts(self) -> dict[str, str]:
        found = {}
        for label in PAPERS:
            pairs = [
                (s.print, s.claim) for s in self._content.statements.values() if s.paper == label
            ]
            total = counted(len(pairs), "numbered statement", "numbered statements")
            found[label] = f"{total}: {verdicts.counted(pairs)}." if pairs else ""
        return found

    def _short_counts(self) -> dict[str, str]:
        """Return how many statements each paper has, and how many are false or misprinted."""
        found = {}
        for label in PAPERS:
            own = [s.print for s in self._content.statements.values() if s.paper == label]
            wrong = sum(of_print in ("false", "misprint") for of_print in own)
            total = counted(len(own), "numbered statement", "numbered statements")
            found[label] = f"{total}, {wrong} false or misprinted." if own else ""
        return found

    # ------------------------------------------------------------------------- errata

    def _errata(self) -> str:
        found = self._content.errata.values()
        return self.render(
            "errata",
            count=count(found),
            severities=SEVERITIES,
            errata=list(found),
            withdrawn=self._content.withdrawn.values(),
        )

    def _erratum(self, erratum: Erratum) -> str:
        content, name = self._content, erratum.name
        address = addresses.of_erratum(name)
        about = content.about.get(name, ())
        owners = content.owners[name]
        sources = {str(s) for entry in owners for s in entry.sources} | {
            f"{PAPERS[s.paper].short}, {s.number}" for s in about
        }
        belongs_to = name.rpartition("/")[0]
        checked = self._checked(erratum)
        line = f"Erratum {name} ({erratum.severity}, {erratum.kind}). {self._where(address)}"
        text = self.render(
            "erratum",
            e=erratum,
            crumbs=self._crumbs(address, [("Errors in print", "errata/index")], name),
            origin=_ORIGINS[erratum.origin],
            severity=SEVERITIES[erratum.severity],
            sources=sorted(sources),
            shown=self._shown(erratum),
            checked=checked,
            command=reproduce_command(erratum),
            algorithms=owners,
            forms=[f for e in owners for f in e.printed_forms if name in f.errata],
            statements=about,
            copies=self._copies(name),
            coded=erratum.kind in CODED,
            gone=[
                w.name for w in content.withdrawn.values() if w.name.startswith(f"{belongs_to}/")
            ],
            line=line,
            address=address,
        )
        return _with_contents_if_long(text)

    def _copies(self, name: str) -> list[str]:
        """Return the names of the errata that repeat one."""
        return [other.name for other in self._content.errata.values() if other.copy_of == name]

    def _checked(self, erratum: Erratum) -> Mapping[str, Any] | None:
        scheme, _, where = erratum.reproduced_by.partition(":")
        items = self._content.checked.values()
        if scheme != "proofs":
            return None
        return next((item for item in items if where in (item["key"], item["number"])), None)

    def _shown(self, erratum: Erratum) -> list[dict[str, str]]:
        """Return the violations of the audit in which an erratum shows."""
        found = []
        for unit, names in self._content.conclusion.reproduced:
            if erratum.name not in names:
                continue
            verdict = self._content.results[unit.id].forms[unit.form].verdicts[unit.question]
            # of the reader's own audit
            again = command(Path("results"), unit.id, unit.form, unit.question)
            found.append(
                {
                    "form": unit.form,
                    "title": TITLES[unit.question],
                    "status": verdict.status,
                    "summary": verdict.summary,
                    "command": again,
                }
            )
        return found

    def _matters(self) -> str:
        content = self._content
        items = [
            {
                "title": title,
                "words": words,
                "e": content.errata[name],
                "algorithms": content.owners[name],
                "copies": self._copies(name),
            }
            for name, (title, words) in ERRORS.items()
        ]
        distinct = count(content.errata.values()).distinct
        return self.render("matters", items=items, worst=sum(distinct[s] for s in HEADLINE))

    # --------------------------------------------------------------------- algorithms

    def _algorithms(self) -> str:
        families: dict[str, list[Entry]] = {}
        for entry in self._content.entries.values():
            families.setdefault(family(entry), []).append(entry)
        ordered = dict(sorted(families.items()))
        return self.render("algorithms", families=ordered, entries=self._content.entries)

    def _algorithm(self, entry: Entry) -> str:
        content, address = self._content, addresses.of_algorithm(entry.id)
        result = content.results.get(entry.id)
        form = build_case(entry.id).forms[CORRECTED]
        found = content.certainty.links(entry, form)
        drawn = content.drawn.get(entry.id, {})
        pictures = {
            form: [{"svg": svg, "caption": caption} for svg, caption in own]
            for form, own in drawn.items()
        }
        errors = count(entry.errata)
        line = f"{entry.id}, {entry.name}: reference implementation. {self._where(address)}"
        return self.render(
            "algorithm",
            a=entry,
            summary=_summary(entry.function),
            wrong={
                "privacy": self._wrong(entry, ("privacy", "sensitivity")),
                "utility": self._wrong(entry, ("utility",)),
            },
            ranges=ranges(form),
            worst=f"this does not hold: {errors}" if entry.errata else "",
            crumbs=self._crumbs(address, *_home(entry), entry.id),
            verdict=self._verdict(entry),
            claims=self._claims(entry),
            to_code=self._to_code(entry),
            links=found,
            weakest=weakest(found),
            forms=entry.printed_forms,
            result=result,
            stale=entry.id in content.stale,
            titles=TITLES,
            pictures=pictures,
            source_code=without_docstring(entry.function),
            cases=_cases(entry.id),
            vectors=[file.relative_to(ROOT).as_posix() for file in _vectors(entry.id)],
            statements=content.concern.get(entry.id, ()),
            line=line,
            address=address,
        )

    def _crumbs(self, page: str, steps: Sequence[tuple[str, str]], *words: str) -> str:
        """Return the path to a page: from the papers, the algorithms or the errors.

        Parameters
        ----------
        page : str
            Its address.
        steps : sequence of (str, str)
            What the pages above it are called, and their addresses, with an anchor if one is meant.
        *words : str
            Places without a page of their own, and at last what the page is called.
        """
        links = []
        for text, address in steps:
            there, mark, anchor = address.partition("#")
            href = f"{addresses.relative(page, there)}{mark}{anchor}"
            links.append(f'<a href="{href}">{escape(text)}</a>')
        path = " &rsaquo; ".join([*links, *(str(escape(text)) for text in words if text)])
        return _raw(f'<nav class="crumbs" aria-label="Path to this page">{path}</nav>')

    def _verdict(self, entry: Entry) -> list[str]:
        """Return the verdict on an algorithm in words: of its claims, and of its printed box."""
        own = self._content.concern.get(entry.id, ())
        found = []
        for (name, kinds), claim in zip(
            CLAIM_KINDS.items(), (entry.privacy_claim, entry.utility_claim), strict=True
        ):
            judged = [s for s in own if s.print not in UNJUDGED]
            named = [s for s in judged if _names(claim, s) and self._is_about(name, s)]
            named = named or [s for s in judged if s.kind in kinds]
            if not named:
                found.append(f"**{name}:** no numbered statement on it was judged.")
                continue
            of_print = max((s.print for s in named), key=_WORST_PRINTS.index)
            of_claim = max((s.claim for s in named), key=_WORST_CLAIMS.index)
            links = ", ".join(_link(s.key, addresses.of_statement(s.key)) for s in named[:MOST])
            more = f" and {len(named) - MOST} more" if len(named) > MOST else ""
            found.append(f"**{name}** ({links}{more}): {verdicts.meaning(of_print, of_claim)}")
        coded = [e for e in entry.errata if e.kind in CODED]
        names = ", ".join(_link(e.name, addresses.of_erratum(e.name)) for e in coded)
        found.append(
            f"**Code that follows the print** is wrong: {names}."
            if coded
            else "**Code that follows the print:** no error is known."
        )
        return found

    def _claims(self, entry: Entry) -> list[dict[str, Any]]:
        """Return an algorithm's claims, each with what holds if it is not true as printed."""
        found = []
        for name, printed in (("Privacy", entry.privacy_claim), ("Utility", entry.utility_claim)):
            own = self._content.concern.get(entry.id, ())
            named = [s for s in own if _names(printed, s) and self._is_about(name, s)]
            wrong = [s for s in named if s.print == "false"]
            errata = dict.fromkeys(e for s in wrong for e in s.errata)
            found.append({"name": name, "printed": printed, "holds": wrong, "errata": list(errata)})
        return found

    def _is_about(self, claim: str, statement: Statement) -> bool:
        """Return whether a statement bears on a claim: it may be wrong about the other alone."""
        kinds = {self._content.errata[name].kind for name in statement.errata}
        if not kinds:
            return True
        return bool(kinds & set(ON_PRIVACY) if claim == "Privacy" else kinds - set(ON_PRIVACY))

    def _to_code(self, entry: Entry) -> str:
        """Return the numbers to code, as HTML."""
        inputs = prefilled(entry.id)
        text = self._html.get_template("what_to_code.html").render(
            own=what_to_code(entry),
            id=entry.id,
            inputs=json.dumps(inputs) if inputs else "",
        )
        return re.sub(r"\n\s*", "\n", text)

    def _wrong(self, entry: Entry, kinds: Sequence[str]) -> list[Statement]:
        """Return an algorithm's claims that are not as printed, without displays of other ones."""
        own = [s for s in self._content.concern.get(entry.id, ()) if s.kind in kinds]
        wrong = [s for s in own if s.print in ("misprint", "false", "doubtful copy")]
        keys = {s.key for s in wrong}
        return [s for s in wrong if not keys.intersection(s.special_case_of)]

    # ---------------------------------------------------------------------- the others

    def _index(self) -> str:
        errors = count(self._content.errata.values())
        return self.render(
            "index",
            n_algorithms=len(self._content.entries),
            papers=PAPERS,
            paper_counts=self._short_counts(),
            summary=f"What the papers print that does not hold: {errors}. Built from "
            f"{self._released.commit}, version {self._released.version}.",
        )

    def _module(self, name: str) -> str:
        module = import_module(name)
        names: Sequence[str] = getattr(module, "__all__", None) or [
            member
            for member, value in vars(module).items()
            if not member.startswith("_") and getattr(value, "__module__", "") == name
        ]
        members = []
        for member in names:
            kind = _kind_of(getattr(module, member))
            if kind:
                members.append((kind, member))
        summary = _role("typeset", (module.__doc__ or "").partition("\n")[0])
        return self.render("module", name=name, summary=summary, members=members)


# ------------------------------------------------------------------------------- pieces


def without_docstring(function: Any) -> str:
    """Return the source of a function without its docstring, which is shown beside it."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    lines = source.splitlines()
    (tree,) = ast.parse(source).body
    first = tree.body[0] if isinstance(tree, ast.FunctionDef) else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        del lines[first.lineno - 1 : first.end_lineno]
    return "\n".join(lines)


def _role(name: str, text: str) -> str:
    """Return a text for a role, in one line; a text without words is left out."""
    line = " ".join(text.replace("`", "'").split())
    return f"{{{name}}}`{line}`" if line else ""


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} ..."


def _derivation(text: str) -> str:
    """Return the paragraphs of a derivation."""
    return "\n\n".join(f"> {_role('typeset', part)}" for part in text.split("\n\n"))


def _raw(html: str) -> str:
    return f"```{{raw}} html\n{html}\n```"


def _fold(summary: str) -> str:
    """Return the beginning of what is folded under its summary."""
    return _raw(f"<details><summary>{with_scripts(' '.join(summary.split()))}</summary>")


def _with_contents_if_long(text: str) -> str:
    return text if len(text) > LONG_PAGE else text.replace(CONTENTS, "")


def _protection(entry: Entry) -> str:
    """Return how an algorithm protects, in short: its model and the notion of its claim."""
    notion = re.search(r"(?:\d+ )?(\(epsilon, delta\)|[\w^/]+)-[A-Za-z]*DP\b", entry.privacy_claim)
    how = " interactive" if entry.interactive else ""
    return f"{entry.model.value}{how}" + (f", {notion[0]}" if notion else "")


def _names(claim: str, statement: Statement) -> bool:
    """Return whether a claim names a statement: ``... (Theorem 4)``."""
    return re.search(rf"{re.escape(statement.number)}(?![\d.]\d|\d)", claim) is not None


def _home(entry: Entry) -> tuple[list[tuple[str, str]], str]:
    """Return the pages above an algorithm, and where its first source prints it."""
    if not entry.sources:
        return [("Algorithms", "algorithms/index")], ""
    return _above(entry.sources[0].label), entry.sources[0].number


def _above(label: str) -> list[tuple[str, str]]:
    """Return the pages above what a paper prints."""
    return [("Papers", "papers"), (f"{label}: {PAPERS[label].short}", addresses.of_paper(label))]


def _section_anchor(section: str) -> str:
    return f"section-{re.sub(r'[^a-z0-9.]+', '-', section.casefold())}"


def _link(text: str, address: str) -> str:
    return f"[{text}](/{address}.md)"


def _words(statement: Statement) -> str:
    return verdicts.words(statement.print, statement.claim)


def _by_number(words: str) -> list[str | int]:
    """Return what sorts "Algorithm 9" before "Algorithm 10"."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", words)]


def _lines(lines: str) -> str:
    """Return the lines of a text with their noun: "Line 216", "Lines 216-220"."""
    return f"Line{'' if lines.isdigit() else 's'} {lines}"


def _form_code(form: PrintedForm) -> str:
    """Return where a printed form is in the code; one that differs in constants is in a list."""
    function = form.function
    if "<locals>" not in function.__qualname__:
        return f"`{function.__module__}:{function.__qualname__}`"
    constants = inspect.getclosurevars(function).nonlocals["constants"]
    return f"`{form.name}` in `{constants.__module__}:FORMS`"


def _worst(entry: Entry) -> list[Erratum]:
    """Return the worst erratum of an algorithm, if it is one that headlines count."""
    return [e for e in entry.errata[:1] if e.severity in HEADLINE]


def _kind_of(member: Any) -> str:
    """Return how a name of a module is documented; empty for an alias of a type."""
    if inspect.isclass(member):
        return "class"
    if inspect.isfunction(member):
        return "function"
    return "" if hasattr(member, "__origin__") else "data"


def _cases(identifier: str) -> list[Case]:
    """Return the runs of an algorithm that its conformance vectors hold."""
    path = store.path_of("algorithms", identifier)
    return store.read(path) if path.exists() else []


def _vectors(identifier: str) -> list[Path]:
    """Return the files of an algorithm's conformance vectors."""
    return sorted((ROOT / "vectors").glob(f"*/{identifier}.json"))


def _summary(function: Any) -> str:
    """Return the first paragraph of a function's docstring."""
    return inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0]
