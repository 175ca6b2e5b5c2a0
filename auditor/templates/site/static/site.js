// What badges say on hovering, and the filters above a paper's statements; without a script all
// statements are shown, and badges lead to the key.
document.addEventListener("DOMContentLoaded", () => {
  for (const badge of document.querySelectorAll("a.badge")) {
    // KEY is written before this file when the site is built
    const [, claim] = badge.textContent.split(", ");
    const anchors = [badge.hash.slice(1), `claim-${claim}`.replace(/[^a-z0-9]+/g, "-")];
    badge.title = anchors.map((anchor) => KEY[anchor] ?? "").join(" ").trim();
  }
  for (const form of document.querySelectorAll("form.filters")) {
    const rows = [...form.parentElement.querySelectorAll("table.statements tbody tr")];
    const wanted = (name) => form.elements[name].value;
    const apply = () => {
      const text = wanted("text").toLowerCase();
      let shown = 0;
      for (const row of rows) {
        const fits =
          (!text || row.textContent.toLowerCase().includes(text)) &&
          ["print", "claim", "severity", "level"].every(
            (name) => !wanted(name) || row.dataset[name] === wanted(name),
          );
        row.hidden = !fits;
        shown += fits;
      }
      form.querySelector("output").textContent = `${shown} of ${rows.length} statements`;
    };
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    apply();
  }
});
