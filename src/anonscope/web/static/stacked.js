// What became of the columns of the version shown: how many records have which level, as stacked bars.
import { ask, element, percent } from "./page.js";
import { state, table } from "./workspace.js";

/** Draw the bars of the version that is shown into `place`; nothing where there is none. */
export async function stacked(place) {
  const { shown, versions } = state();
  const version = versions.find(({ number }) => number === shown);
  if (!version?.reported) return place.replaceChildren();
  const { columns } = await ask("GET", `tables/${table}/versions/${version.number}/report.json`);
  place.replaceChildren(element("details", { open: columns.some(({ levels }) => levels.filter(({ share }) => share > 0).length > 1) },
    element("summary", {}, `${version.name}: which share of the records has which level`),
    element("dl", { className: "stacks" }, columns.flatMap(({ column, levels }) => [
      element("dt", {}, column),
      element("dd", {}, element("div", { className: "stack" }, levels.map(({ share, level }, i) => {
        // The colours of the report: paler the coarser, and what is hidden is none of them.
        const part = element("i", { className: i && i === levels.length - 1 ? "part-gone" : `part${Math.min(i, 4)}`, title: `level ${level}: ${percent(share)}` });
        part.style.setProperty("width", `${100 * share}%`);
        return part;
      })), element("span", { className: "small muted" }, levels.filter(({ share }) => share > 0).map(({ share, level, words }) => `${level === 0 ? "as it is" : level === levels.length - 1 ? "hidden" : words ?? `level ${level}`} ${percent(share)}`).join(", "))),
    ]))));
}
