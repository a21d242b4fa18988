// The first page: a file, or the sample, becomes a table.
import { ask, by, complain, counted, element } from "./page.js";
import { formOf, sent } from "./upload.js";

async function open(form, name) {
  complain(null);
  by("drop").classList.add("busy");
  try {
    const table = await sent(form, name, by("progress"));
    location.assign(`/table/${table.id}`);
  } catch (error) {
    complain(error);
    by("file").value = "";
    by("drop").classList.remove("busy");
  }
}

by("file").addEventListener("change", (event) => {
  const [file, form] = formOf(event.target.files);
  if (file) open(form, file.name);
});

by("sample").addEventListener("click", () => {
  const form = new FormData();
  form.append("sample", "hospital");
  open(form, "the sample");
});

// A file may be dropped anywhere; elsewhere the browser would leave the page and open it.
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    by("drop").classList.toggle("over", kind === "dragenter" || kind === "dragover");
  });
}
document.addEventListener("drop", (event) => {
  const [file, form] = formOf(event.dataTransfer.files);
  if (file) open(form, file.name);
});

// Coming back with the browser's arrow finds the page as it was left.
window.addEventListener("pageshow", () => by("drop").classList.remove("busy"));

async function listed() {
  const { tables } = await ask("GET", "tables");
  by("tables").hidden = tables.length === 0;
  by("list").replaceChildren(...tables.map((table) => {
    const forget = element("button", { type: "button", className: "quiet small" }, "Forget");
    forget.setAttribute("aria-label", `Forget ${table.name}`);
    forget.addEventListener("click", () => ask("DELETE", `tables/${table.id}`).then(listed, complain));
    return element("li", {},
      element("a", { href: `/table/${table.id}` }, table.name), " ",
      element("span", { className: "muted small" }, counted(table.columns.length, "column", "columns")), " ", forget);
  }));
}
listed().catch(() => {}); // a list that cannot be had is no reason to keep somebody from a new table
