// Whom it concerns: an attacker or a rule is chosen, and the groups that it is about are shown by their size, with no value of the table.
import { ask, complain, counted, element, number, percent } from "./page.js";
import { table } from "./workspace.js";

/** Put the panel into `place`; `records` is told what was chosen. */
export async function concernedPanel(place, records) {
  const { data: { scenarios }, verdict } = await ask("GET", `tables/${table}/audit.json`);
  const attacker = element("select", { id: "attacker" }, element("option", { value: "" }, "whoever gets furthest"),
    scenarios.map(({ name }) => element("option", { value: name }, name)));
  const rules = new Map(verdict.rules.map(({ metric, label, status }) => [metric, `${label} (${status})`]));
  const rule = element("select", { id: "rule" }, element("option", { value: "" }, "any"),
    [...rules].map(([metric, words]) => element("option", { value: metric }, words)));
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const shown = element("div", { id: "concerned", ariaLive: "polite" });
  const chosen = () => ({ ...(attacker.value ? { scenario: attacker.value } : {}), ...(rule.value ? { rule: rule.value } : {}) });

  async function draw() {
    complain(null, problem);
    try {
      const found = await ask("POST", `tables/${table}/groups`, chosen());
      const what = !found.rule ? "stand in groups of the sizes below" : found.broken ? "break the rule" : "keep the rule; the nearest to its limit come first below";
      const most = Math.max(1, ...found.sizes.map(({ records: n }) => n));
      shown.replaceChildren(
        element("p", {}, `${number(found.records)} of ${counted(found.of, "record", "records")} (${percent(found.records / found.of)}) ${what}.`),
        element("ul", { className: "plain sizes" }, found.sizes.map(({ size, records: n, groups }) => {
          const bar = element("span", { className: "share-bar" });
          bar.style.setProperty("--share", n / most);
          const of = groups === null ? "" : ` in ${counted(groups, "group", "groups")}`;
          return element("li", {}, element("span", {}, `${size === 1 ? "alone" : `groups of ${number(size)}`}`), bar, element("span", { className: "small muted" }, `${counted(n, "record", "records")}${of}`));
        })),
        element("p", { className: "small muted" }, found.larger ? `${counted(found.larger, "record is", "records are")} in larger groups.` : ""));
      records(chosen());
    } catch (error) {
      complain(error, problem);
    }
  }
  for (const select of [attacker, rule]) select.addEventListener("change", draw);
  place.replaceChildren(
    element("p", { className: "buttons" },
      element("label", { className: "chosen" }, element("span", { className: "small muted" }, "Attacker"), attacker),
      element("label", { className: "chosen" }, element("span", { className: "small muted" }, "Rule"), rule)),
    problem, shown);
  await draw();
}
