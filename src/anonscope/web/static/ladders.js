// How values coarsen: the levels of a column, changed group by group, brought in and taken out as ARX writes them.
import { ask, complain, counted, element } from "./page.js";
import { at, onChange, refresh, state, table } from "./workspace.js";

/** Put the editor into `place`; `changed()` lets the sliders count with the new ladder. */
export function ladderPanel(place, changed) {
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const effect = element("p", { className: "small", role: "status", id: "ladder-effect" });
  const choose = element("select", { id: "ladder-column" });
  const body = element("div");
  let known = "";
  let values = false; // labels are values of people, so they wait for a deliberate switch
  let level = 1;

  const position = () => state().table.columns.findIndex(({ name }) => name === choose.value);
  const address = () => `tables/${table}/hierarchies/${position()}`;
  const attempt = (work) => work().then(() => complain(null, problem), (error) => complain(error, problem));

  async function look() {
    if (!choose.value) return body.replaceChildren(element("p", { className: "muted" }, "Measure the table first."));
    draw(await ask("GET", `${address()}?values=${values}&confirm=${values}`));
  }

  async function apply(method, path, wish) {
    const before = await ask("GET", address());
    const after = await ask(method, `${address()}${path}`, wish);
    await refresh();
    draw(after.levels[1]?.labels || !values ? after : await ask("GET", `${address()}?values=true&confirm=true`));
    const told = ({ levels }) => levels.map(({ groups }) => groups).join(" → ");
    await changed();
    effect.textContent = `Groups from level to level: ${told(before)} before, ${told(after)} now. The sliders count with it.`;
  }

  function draw(found) {
    const last = found.levels.length - 1;
    level = Math.min(Math.max(1, level), Math.max(1, last - 1));
    const flip = element("input", { type: "checkbox", checked: values, id: "ladder-values" });
    flip.setAttribute("role", "switch");
    flip.addEventListener("change", () => { values = flip.checked; attempt(look); });
    const bring = element("input", { type: "file", id: "ladder-file", className: "hidden", accept: ".csv,.txt" });
    bring.addEventListener("change", async () => {
      const [file] = bring.files;
      if (file) await attempt(async () => apply("PUT", "", { csv: await file.text() }));
      bring.value = "";
    });
    const back = element("button", { type: "button", className: "quiet small", disabled: found.automatic }, "As made from the data");
    back.addEventListener("click", () => attempt(() => apply("DELETE", "")));
    body.replaceChildren(
      element("ol", { className: "plain small rungs", start: 0 }, found.levels.map((rung) => element("li", {}, `Level ${rung.level}: ${counted(rung.groups, "group", "groups")}, ${rung.words}`))),
      element("p", { className: "buttons" }, bring, element("label", { htmlFor: "ladder-file", className: "button quiet" }, "Import (ARX CSV)"),
        element("a", { className: "button quiet", href: `${at}/hierarchies/${position()}/hierarchy.csv`, download: "" }, "Export (ARX CSV), for you only"), back),
      element("label", { className: "choice small" }, flip, element("span", {}, "Show the labels, which are made of values of people, and change them. Look around you first.")),
      values && last > 1 ? editor(found) : "");
  }

  function editor(found) {
    const rung = found.levels[level];
    const pick = element("select", { id: "ladder-level" }, found.levels.slice(1, -1).map((one) => element("option", { value: one.level, selected: one.level === level }, `Level ${one.level}`)));
    pick.addEventListener("change", () => { level = Number(pick.value); draw(found); });
    const name = element("input", { type: "text", id: "ladder-name", maxLength: 200 });
    const groups = rung.labels.map((group) => {
      const box = element("input", { type: "checkbox", value: group.label });
      const members = group.members.length > 1 ? element("details", {}, element("summary", { className: "small" }, counted(group.members.length, "member", "members")),
        group.members.map((member) => element("label", { className: "choice small" }, element("input", { type: "checkbox", value: member, className: "member" }), element("span", {}, member)))) : null;
      const item = element("li", {}, element("label", { className: "choice" }, box, element("span", {}, group.label)), members);
      item.group = group;
      return item;
    });
    const list = element("ul", { className: "plain groups", id: "ladder-groups" }, groups);
    const chosen = () => groups.filter((item) => item.querySelector("input").checked).map((item) => item.group.label);
    const act = (title, id, wish) => {
      const button = element("button", { type: "button", className: "quiet", id }, title);
      button.addEventListener("click", () => attempt(async () => {
        const wanted = wish();
        if (!wanted.labels.length) throw new Error("Mark a group first.");
        await apply("POST", "/change", { level, ...wanted });
      }));
      return button;
    };
    return element("div", {},
      element("label", { className: "field", htmlFor: "ladder-level" }, "Change"), pick, list,
      element("label", { className: "field", htmlFor: "ladder-name" }, "Name of the group"), name,
      element("p", { className: "buttons" },
        act("Merge", "ladder-merge", () => ({ change: "merge", labels: chosen(), name: name.value })),
        act("Split off what is marked inside", "ladder-split", () => {
          const item = groups.find((one) => one.querySelector(".member:checked"));
          return { change: "split", labels: item ? [item.group.label] : [], members: item ? [...item.querySelectorAll(".member:checked")].map(({ value }) => value) : [], name: name.value };
        }),
        act("Rename", "ladder-rename", () => ({ change: "rename", labels: chosen().slice(0, 1), name: name.value })),
        act("Up", "ladder-up", () => ({ change: "move", labels: chosen().slice(0, 1), by: -1 })),
        act("Down", "ladder-down", () => ({ change: "move", labels: chosen().slice(0, 1), by: 1 }))));
  }

  function columns() {
    const roles = state().table.audited ? state().roles : null;
    const names = [...new Set([...(roles?.quasi_identifiers ?? []), ...Object.values(roles?.scenarios ?? {}).flat()])];
    if (names.join("\n") === known) return;
    known = names.join("\n");
    choose.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
    attempt(look);
  }
  choose.addEventListener("change", () => { effect.textContent = ""; level = 1; attempt(look); });
  place.replaceChildren(element("label", { className: "field", htmlFor: "ladder-column" }, "Column"), choose, body, effect, problem);
  onChange(columns);
  columns();
  if (!known) attempt(look);
}
