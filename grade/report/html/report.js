"use strict";
(() => {
  const value = (row, place) => {
    const cell = row.cells[place];
    const key = cell.dataset.v;
    if (key === undefined) return null;
    return cell.classList.contains("number") && key !== "" && !Number.isNaN(Number(key)) ? Number(key) : key;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  const sort = (heading) => {
    const table = heading.closest("table");
    const place = heading.cellIndex;
    const first = heading.classList.contains("number") ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = heading.getAttribute("aria-sort") === first ? other : first;
    const sign = order === "ascending" ? 1 : -1;
    const rows = [...table.tBodies[0].rows].map((row) => [value(row, place), row]);
    rows.sort(([a], [b]) => (a === null ? (b === null ? 0 : 1) : b === null ? -1 : sign * compare(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
    for (const each of table.tHead.rows[0].cells) each.setAttribute("aria-sort", each === heading ? order : "none");
  };
  for (const button of document.querySelectorAll(".data thead button")) {
    button.addEventListener("click", () => sort(button.closest("th")));
  }
  const theme = document.getElementById("theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
})();
