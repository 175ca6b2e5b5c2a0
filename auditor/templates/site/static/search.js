// The search page: pages that are called what was asked for come first, before those that hold it.

// Words of a name or a query: "Theorem 4.1.6" has two, "wang-2/E2" is one.
const wordsOf = (text) =>
  (text.toLowerCase().match(/[a-z0-9.*][a-z0-9.*/-]*/g) ?? []).map((word) => word.replace(/[.-]+$/, ""));

// The pages whose names hold all words of a query; those with the fewest other words first.
const pagesCalled = (query, names, most = 8) => {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return names
    .map(([title, address, more], place) => {
      const own = wordsOf(title);
      const known = new Set([...own, ...wordsOf(more)]);
      const fits = words.every((word) => known.has(word));
      const others = own.filter((word) => !words.includes(word)).length;
      return { title, address, place, rank: fits ? others : Infinity };
    })
    .filter((page) => page.rank < Infinity)
    .sort((one, other) => one.rank - other.rank || one.place - other.place)
    .slice(0, most);
};

if (typeof document !== "undefined") {
  document.addEventListener("DOMContentLoaded", () => {
    const query = new URLSearchParams(location.search).get("q") ?? "";
    const found = pagesCalled(query, window.touchstoneNames ?? []);
    const results = document.getElementById("search-results");
    if (found.length === 0 || results === null) return;
    const list = document.createElement("ul");
    list.className = "called";
    for (const { title, address } of found) {
      const link = document.createElement("a");
      link.href = `${address}.html`;
      link.textContent = title;
      const item = document.createElement("li");
      item.append(link);
      list.append(item);
    }
    results.before(list);
  });
}
if (typeof module !== "undefined") module.exports = { pagesCalled };
