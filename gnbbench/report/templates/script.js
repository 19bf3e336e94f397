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
