"use strict";
(() => {
  const form = document.querySelector(".filters");
  const fields = ["text", "status", "severity", "model", "family"].map((name) =>
    document.getElementById(`filter-${name}`),
  );
  const count = document.getElementById("filter-count");
  const rows = [...document.querySelectorAll("details.algorithm")];
  const groups = [...document.querySelectorAll("section.group")];
  const apply = () => {
    const [text, status, severity, model, family] = fields.map((field) => field.value);
    const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const data = row.dataset;
      const fits =
        words.every((word) => data.words.includes(word)) &&
        (!status || data.status.split(" ").includes(status)) &&
        (!severity || data.severities.split(" ").includes(severity)) &&
        (!model || data.model === model) &&
        (!family || data.family === family);
      row.hidden = !fits;
      shown += fits;
    }
    for (const group of groups) {
      group.hidden = !group.querySelector("details.algorithm:not([hidden])");
    }
    count.value = `${shown} of ${rows.length} shown`;
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  const statements = document.getElementById("statement-filters");
  const lines = [...document.querySelectorAll("details.statements tbody tr")];
  const sift = () => {
    const wanted = (name) => statements.elements[name].value;
    const words = wanted("text").toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const names = ["print", "claim", "severity", "level"];
    let shown = 0;
    for (const line of lines) {
      const text = line.textContent.toLocaleLowerCase();
      const fits =
        words.every((word) => text.includes(word)) &&
        names.every((name) => !wanted(name) || line.dataset[name] === wanted(name));
      line.hidden = !fits;
      shown += fits;
    }
    const asked = words.length > 0 || names.some(wanted);
    for (const part of document.querySelectorAll("details.statements")) {
      part.hidden = !part.querySelector("tbody tr:not([hidden])");
      if (asked) part.open = true;
    }
    statements.querySelector("output").value = `${shown} of ${lines.length} shown`;
  };
  if (statements) {
    statements.hidden = false;
    statements.addEventListener("input", sift);
    statements.addEventListener("submit", (event) => event.preventDefault());
    sift();
  }
  // a link to something folded or filtered away must still lead there
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const row = target.closest("details.algorithm");
    if (statements && target.closest("tr[hidden]")) {
      statements.reset();
      sift();
    }
    if (row && row.hidden) {
      form.reset();
      apply();
    }
    for (let part = target; part; part = part.parentElement) {
      if (part.tagName === "DETAILS") part.open = true;
    }
    const evidence = target.classList.contains("answer") && target.querySelector("details");
    if (evidence) evidence.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  // and so must one that was followed before
  addEventListener("click", (event) => {
    if (event.target.closest(`a[href="${location.hash || "#"}"]`)) reveal();
  });
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details.statements")) part.open = true;
  });
  apply();
  reveal();
})();
