// Several attackers: what each of them knows, beside the one who knows all.
import { complain, element } from "./page.js";
import { change, onChange, state } from "./workspace.js";

/** Put the list of attackers into `place`; `columns()` names what they may know. */
export function scenarioPanel(place, columns) {
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const list = element("ul", { className: "plain" });
  const name = element("input", { type: "text", id: "attacker-name", maxLength: 60 });
  const known = element("select", { id: "attacker-columns", multiple: true, size: 6 }, columns().map((column) => element("option", { value: column }, column)));
  const add = element("button", { type: "button", className: "quiet" }, "Add this attacker");
  const scenarios = () => state().roles?.scenarios ?? {};
  const set = (next) => change({ scenarios: next }).then(() => complain(null, problem), (error) => complain(error, problem));
  add.addEventListener("click", async () => {
    const chosen = [...known.selectedOptions].map((option) => option.value);
    if (!name.value.trim() || !chosen.length) return complain(new Error("An attacker has a name, and knows at least one column."), problem);
    await set({ ...scenarios(), [name.value.trim()]: chosen });
    if (problem.hidden) name.value = "";
  });
  const draw = () => list.replaceChildren(...Object.entries(scenarios()).map(([title, found]) => {
    const remove = element("button", { type: "button", className: "quiet small" }, "Remove");
    remove.setAttribute("aria-label", `Remove ${title}`);
    remove.addEventListener("click", () => set(Object.fromEntries(Object.entries(scenarios()).filter(([other]) => other !== title))));
    return element("li", {}, element("b", {}, title), ` knows ${found.join(", ")} `, remove);
  }));
  place.replaceChildren(list,
    element("label", { className: "field", htmlFor: "attacker-name" }, "Who"), name,
    element("label", { className: "field", htmlFor: "attacker-columns" }, "What they know"), known,
    element("p", {}, add), problem);
  onChange(draw);
  draw();
}
