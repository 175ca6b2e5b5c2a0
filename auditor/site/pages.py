"""The pages as Markdown: one function for each sort, all of them in :func:`all_pages`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from auditor.core import addresses
from auditor.core.errors import visible
from auditor.core.plurals import counted
from auditor.described import build_case
from auditor.questions.ranges import ranges
from auditor.site import key, parts
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
from reference.catalogue import PAPERS, SEVERITIES, Entry, Erratum

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
            t=partial(parts.role, "typeset"),
            plain=partial(parts.role, "plain"),
            f=partial(parts.role, "formula"),
            struck=partial(parts.role, "struck"),
            fold=parts.fold,
            cell=lambda text: parts.role("typeset", text).replace("|", r"\|"),
            short=parts.short,
            line=lambda text: " ".join(text.split()),
            derivation=parts.derivation,
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
            lines=parts.lines,
            form_code=parts.form_code,
            with_legend=with_legend,
            all_steps=all_steps,
            premises=premises,
            worst_errata=parts.worst,
            paper_page=addresses.of_paper,
            protection=parts.protection,
            summary=lambda entry: parts.summary(entry.function),
            to_statement=lambda key: parts.link(key, addresses.of_statement(key)),
            to_erratum=lambda name: parts.link(name, addresses.of_erratum(name)),
            to_algorithm=lambda name: parts.link(name, addresses.of_algorithm(name)),
        )
        self._markdown.globals.update(
            released=released,
            version=released.version,
            contents=parts.CONTENTS,
            fold_end=parts.raw("</details>"),
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
            f"{statement.number} of {paper.short}: {parts.words(statement)}"
            f"{self._named(statement.errata)}. {self._where(address)}"
        )
        section = f"{addresses.of_paper(statement.paper)}#{parts.section_anchor(statement.section)}"
        above = [*parts.above(statement.paper), (f"section {statement.section}", section)]
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
        return parts.with_contents_if_long(text)

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
        algorithms.sort(key=lambda item: parts.by_number(item[0]))
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
                    "anchor": parts.section_anchor(item.section)
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
            sections={section: parts.section_anchor(section) for section in reversed(sections)},
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
        return parts.with_contents_if_long(text)

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
            summary=parts.summary(entry.function),
            wrong={
                "privacy": self._wrong(entry, ("privacy", "sensitivity")),
                "utility": self._wrong(entry, ("utility",)),
            },
            ranges=ranges(form),
            worst=f"this does not hold: {errors}" if entry.errata else "",
            crumbs=self._crumbs(address, *parts.home(entry), entry.id),
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
            source_code=parts.without_docstring(entry.function),
            cases=parts.cases(entry.id),
            vectors=[file.relative_to(ROOT).as_posix() for file in parts.vectors(entry.id)],
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
        return parts.raw(f'<nav class="crumbs" aria-label="Path to this page">{path}</nav>')

    def _verdict(self, entry: Entry) -> list[str]:
        """Return the verdict on an algorithm in words: of its claims, and of its printed box."""
        own = self._content.concern.get(entry.id, ())
        found = []
        for (name, kinds), claim in zip(
            CLAIM_KINDS.items(), (entry.privacy_claim, entry.utility_claim), strict=True
        ):
            judged = [s for s in own if s.print not in UNJUDGED]
            named = [s for s in judged if parts.names(claim, s) and self._is_about(name, s)]
            named = named or [s for s in judged if s.kind in kinds]
            if not named:
                found.append(f"**{name}:** no numbered statement on it was judged.")
                continue
            of_print = max((s.print for s in named), key=_WORST_PRINTS.index)
            of_claim = max((s.claim for s in named), key=_WORST_CLAIMS.index)
            links = ", ".join(
                parts.link(s.key, addresses.of_statement(s.key)) for s in named[:MOST]
            )
            more = f" and {len(named) - MOST} more" if len(named) > MOST else ""
            found.append(f"**{name}** ({links}{more}): {verdicts.meaning(of_print, of_claim)}")
        coded = [e for e in entry.errata if e.kind in CODED]
        names = ", ".join(parts.link(e.name, addresses.of_erratum(e.name)) for e in coded)
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
            named = [s for s in own if parts.names(printed, s) and self._is_about(name, s)]
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
            kind = parts.kind_of(getattr(module, member))
            if kind:
                members.append((kind, member))
        summary = parts.role("typeset", (module.__doc__ or "").partition("\n")[0])
        return self.render("module", name=name, summary=summary, members=members)
