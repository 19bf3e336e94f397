const root = document.documentElement, theme = document.querySelector(".theme");
const dark = () => (root.style.colorScheme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
theme.hidden = false; name();
theme.addEventListener("click", () => { root.style.colorScheme = dark() ? "light" : "dark"; name(); });
for (const button of document.querySelectorAll("th button")) button.addEventListener("click", () => {
  const head = button.closest("th"), body = head.closest("table").tBodies[0];
  const up = head.getAttribute("aria-sort") !== "ascending", numeric = head.classList.contains("number");
  const key = row => row.cells[head.cellIndex].dataset.key;
  const order = (a, b) => numeric ? a - b : a.localeCompare(b, "en", { numeric: true });
  const compare = (a, b) => key(a) === "" || key(b) === "" ? (key(a) === "") - (key(b) === "") : order(key(a), key(b)) * (up ? 1 : -1);
  for (const other of head.parentNode.cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  body.append(...[...body.rows].sort(compare));
});
const made = (tag, values) => Object.assign(document.createElement(tag), values);
for (const table of document.querySelectorAll("table")) {
  const rows = [...table.tBodies[0].rows], failed = rows.filter(row => row.querySelector(".tone-bad"));
  const heads = [...table.tHead.rows[0].cells].map(head => head.textContent);
  if (heads.length > 3 && !table.closest(".marks, .matrix, .square")) {
    table.classList.add("stacked");
    for (const row of rows) for (const cell of row.cells) cell.dataset.label = heads[cell.cellIndex];
  }
  if (rows.length < 12) continue;
  const bar = made("p", { className: "filter" }), wanted = made("input", { type: "search", placeholder: "Filter rows" });
  const only = made("input", { type: "checkbox" }), label = made("label");
  const show = () => { for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted.value.toLowerCase()) || (only.checked && !failed.includes(row)); };
  wanted.setAttribute("aria-label", `Filter rows of: ${table.caption.textContent}`);
  wanted.addEventListener("input", show); only.addEventListener("change", show);
  label.append(only, " failures only"); bar.append(wanted);
  if (failed.length && failed.length < rows.length) bar.append(label);
  table.closest(".scroll").before(bar);
}
for (const block of document.querySelectorAll("pre")) {
  const button = made("button", { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", () => { getSelection().selectAllChildren(block.firstElementChild); document.execCommand("copy"); button.textContent = "Copied"; });
  block.append(button);
}
