// Tables beside the table: the population its rows were drawn from, and an outside table that somebody may match; their columns are proposed.
import { ask, complain, element } from "./page.js";
import { formOf, sent } from "./upload.js";
import { refresh, table } from "./workspace.js";

/** Put both panels into `place`. */
export function besidePanel(place) {
  place.replaceChildren(
    element("h3", {}, "Population"), outsidePanel("population", "Add the population", "add-population"),
    element("h3", {}, "Outside table"), outsidePanel("outside", "Add an outside table", "add-outside"));
}

/** Return a panel that sends a table, proposes which of its columns is which, and lets the server keep it; `changed` hears of it. */
export function outsidePanel(kind, title, id, changed = () => {}) {
  const progress = element("div", { className: "progress", hidden: true });
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const mapping = element("div", { className: "mapping" });
  const input = element("input", { type: "file", id, className: "hidden", multiple: true });
  const label = element("label", { htmlFor: id, className: "button quiet" }, title);

  async function give(other, columns) {
    await ask("PUT", `tables/${table}/beside/${kind}`, { table: other, columns });
    await refresh();
    await draw();
  }

  async function draw() {
    const now = await ask("GET", `tables/${table}/beside`);
    const other = now[kind];
    if (!other) {
      mapping.replaceChildren();
      return changed({ id: null, columns: {} });
    }
    const found = await ask("GET", `tables/${table}/mapping/${other}`);
    const chosen = now[`${kind}_columns`];
    const remove = element("button", { type: "button", className: "quiet small" }, "Take it away");
    remove.addEventListener("click", () => give(null, {}).catch((error) => complain(error, problem)));
    const lines = Object.keys(found.columns).map((column) => {
      const select = element("select", {}, element("option", { value: "" }, "not there"), found.there.map((name) => element("option", { value: name, selected: chosen[column] === name }, name)));
      select.setAttribute("aria-label", `What ${column} is called there`);
      select.addEventListener("change", () => {
        const { [column]: _, ...others } = chosen;
        give(other, select.value ? { ...others, [column]: select.value } : others).catch((error) => complain(error, problem));
      });
      return element("li", {}, element("b", {}, column), " is ", select);
    });
    mapping.replaceChildren(element("p", {}, `${found.name} `, remove), element("ul", { className: "plain small" }, lines));
    changed({ id: other, columns: chosen });
  }

  input.addEventListener("change", async () => {
    const [file, form] = formOf(input.files);
    if (!file) return;
    complain(null, problem);
    try {
      const other = await sent(form, file.name, progress);
      const { columns } = await ask("GET", `tables/${table}/mapping/${other.id}`);
      await give(other.id, Object.fromEntries(Object.entries(columns).filter(([, there]) => there !== null)));
    } catch (error) {
      complain(error, problem);
    } finally {
      input.value = "";
    }
  });
  draw().catch((error) => complain(error, problem));
  return element("div", {}, element("p", { className: "buttons" }, input, label), progress, problem, mapping);
}
