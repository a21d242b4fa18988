// How the table can be released: every release of the plan has the button that makes it; what would have to give asks for a reason.
import { ask, by, complain, counted, element, number, percent, withoutOptions } from "./page.js";
import { change, measure, roomAddress, run, state, table } from "./workspace.js";
import { make } from "./made.js";
import { offered } from "./draw.js";

const LONGER = 30; // seconds
const REASON = "REASON"; // what stands in a plan where a person must say something

/** Show the plan of the table in `place`; a `brief` one has the best way only, and says where the others are. */
export async function planPanel(place, { brief = false, choose = null } = {}) {
  if (!state().table.planned) return place.replaceChildren(element("p", { className: "muted" }, state().table.audited ? "There is nothing to plan for this table." : "There is no plan before the table was measured."));
  const found = await ask("GET", `tables/${table}/plan.json`);
  const methods = !brief && found.drawn?.length ? await ask("GET", "synthesis/methods").catch(() => []) : [];
  const marks = new Map(onPlan(found).map(({ mark, release }) => [release, brief ? null : mark]));
  const ways = found.relaxations.map((way) => card("h4", capital(way.change), way.release, marks.get(way.release), choose, way));
  const changes = ways.filter((_, i) => found.relaxations[i].changes_data);
  const accepted = ways.filter((_, i) => !found.relaxations[i].changes_data);
  const releases = found.releases.map((release) => card("h3", capital(release.name), release, marks.get(release), choose));
  const some = (cards) => (brief ? cards.slice(0, 1) : cards);
  const left = releases.length + ways.length - (some(releases).length + some(changes).length + some(accepted).length);
  place.replaceChildren(
    element("p", { className: "lead" }, `${found.says}.`),
    ...found.reasons.map((reason) => element("p", {}, withoutOptions(reason))),
    ...(found.first.length ? [element("ul", { className: "question first" }, found.first.map((word) => element("li", {}, word))), element("p", {}, element("a", { href: roomAddress("columns") }, "To the columns"))] : []),
    ...group("", some(releases)), ...group("What could be changed in the data", some(changes)), ...group("What somebody would have to accept", some(accepted)),
    ...(brief ? [] : offered(found.drawn ?? [], methods)),
    ...(found.met || (found.complete && releases.length + ways.length) ? [] : [longer()]),
    ...(brief ? [element("p", {}, element("a", { href: roomAddress("repair") }, left > 0 ? `${left} more, and sliders for every column: Repair` : "Sliders for every column: Repair"))] : []));
}

/** Return the releases of a plan, each with the letter by which it stands on the chart of risk against loss. */
export function onPlan(found) {
  const all = [...found.releases.map((release) => ({ title: release.name, release })), ...found.relaxations.map(({ change, release }) => ({ title: change, release }))];
  return all.map((one, at) => ({ ...one, mark: String.fromCharCode(65 + (at % 26)) }));
}

/** Return the words of a release with the name of what each sign stands for; a figure stays with its sign. */
const named = (words) => words.replace(/(?<=[:,] )([klt]) = (?=[\d.])/g, (_, sign) => `${{ k: "k-anonymity", l: "l-diversity", t: "t-closeness" }[sign]}\u00a0`);

/** Return the button that gives the search more time; on a busy machine the usual time finds little. */
function longer() {
  const button = element("button", { type: "button", className: "quiet", id: "plan-longer" }, "Look for longer");
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await run("plan", { seconds: LONGER });
    } catch (error) {
      complain(error, problem);
      button.disabled = false;
    }
  });
  return element("div", {}, element("p", {}, button), problem);
}

const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

const group = (title, cards) => (cards.length ? [title ? element("h3", {}, title) : null, element("ul", { className: "plain options" }, cards)] : []).filter(Boolean);

function card(level, title, release, mark, choose, way) {
  const button = element("button", { type: "button", className: way ? "button quiet" : "button" }, actOf(way));
  const reasons = Object.entries(release.asks.exceptions ?? {}).filter(([, reason]) => reason === REASON).map(([what]) => what);
  const reason = reasons.length ? element("input", { type: "text", maxLength: 2000, autocomplete: "off" }) : null;
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  button.addEventListener("click", async () => {
    const said = reason?.value.trim();
    if (reason && !said) {
      complain(new Error("A reason is missing: why may these limits be left?"), problem);
      return reason.focus();
    }
    const exceptions = Object.fromEntries(Object.entries(release.asks.exceptions ?? {}).map(([what, text]) => [what, text === REASON ? said : text]));
    button.disabled = true;
    complain(null, problem);
    try {
      if (way?.drops.length) return await without(way.drops);
      if (way?.kind === "another policy") await measuredBy(release.asks.policy);
      await make({ ...release.asks, ...(reasons.length ? { exceptions } : {}) });
    } catch (error) {
      // Measuring draws the cards anew, and nobody reads what stands on one that is gone.
      complain(error, problem.isConnected ? problem : by("desk-problem"));
    } finally {
      button.disabled = false;
    }
  });
  const levels = release.asks.levels;
  const tune = choose && levels ? element("button", { type: "button", className: "quiet" }, "Set the sliders to it") : null;
  tune?.addEventListener("click", () => choose(levels));
  return element("li", { className: "card" },
    element(level, {}, mark ? [element("span", { className: "letter", title: "Its place on the chart below" }, mark), " "] : null, title),
    // It may begin with the name of a column, which is written as it is.
    element("p", {}, `${release.says ? `It ${release.says}: ` : ""}${named(release.words)}.`),
    element("p", { className: "small muted" }, `Smallest group ${number(release.smallest_class)}, ${percent(release.loss)} of the detail lost, ${number(release.suppressed)} of ${number(release.records)} records suppressed.`),
    reason ? element("label", { className: "field" }, "Your reason", reason) : null,
    problem,
    element("p", { className: "buttons" }, button, tune));
}

/** What the button of a card does, in words: more than a release is made where columns or the policy must change first. */
function actOf(way) {
  if (way?.drops.length) return `Leave ${way.drops.length === 1 ? "it" : `these ${counted(way.drops.length, "column", "columns")}`} out, and plan again`;
  return way?.kind === "another policy" ? "Take this policy, and make the release" : "Make this release";
}

/** Say that columns leave the table, which Columns can take back, and measure it so. */
async function without(columns) {
  await change({ assign: Object.fromEntries(columns.map((column) => [column, "direct_identifiers"])) });
  await measure();
}

/** Measure by another policy: a release that is made for one and judged by another is no answer to either. */
async function measuredBy(policy) {
  await change({ policy });
  await measure();
}
