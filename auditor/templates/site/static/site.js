// The filters above a paper's statements; without a script all of them are shown.
document.addEventListener("DOMContentLoaded", () => {
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
