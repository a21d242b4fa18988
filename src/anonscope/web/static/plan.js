// How the table can be released: every release of the plan has the button that makes it; what would have to give asks for a reason.
import { ask, by, element, percent } from "./page.js";

const REASON = "REASON"; // what stands in a plan where a person must say something

/** Show the plan of a table in `place`; `make(wishes)` makes a release of it. */
export async function planPanel(table, place, make) {
  // Where the audit planned nothing, its report has no plan either, and there is nothing to ask for.
  const found = by("report").querySelector("section#plan") ? await ask("GET", `tables/${table}/plan.json`) : null;
  if (!found || found.met || (!found.releases.length && !found.relaxations.length)) return by("releases").remove();
  const releases = found.releases.map((release) => card(table, "h3", capital(release.name), release, make));
  const ways = found.relaxations.map((way) => card(table, "h4", capital(way.change), way.release, make, way));
  const changes = ways.filter((_, i) => found.relaxations[i].changes_data);
  const accepted = ways.filter((_, i) => !found.relaxations[i].changes_data);
  place.replaceChildren(
    element("p", { className: "lead" }, `${found.says}.`),
    ...found.reasons.map((reason) => element("p", {}, reason)),
    ...group("", releases), ...group("What could be changed in the data", changes), ...group("What somebody would have to accept", accepted));
  inPlaceOf(by("report").querySelector("section#plan"));
}

/** Stand where the report has its plan, and keep that for whoever wants its commands. */
function inPlaceOf(told) {
  if (!told) return;
  const section = by("releases");
  told.replaceWith(section);
  section.append(element("details", {}, element("summary", {}, "What becomes of every column, and the commands"), element("div", { className: "nested" }, told)));
}

const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

const group = (title, cards) => (cards.length ? [title ? element("h3", {}, title) : null, element("ul", { className: "plain cards" }, cards)] : []).filter(Boolean);

function card(table, level, title, release, make, way) {
  const button = element("button", { type: "button", className: way ? "button quiet" : "button" }, "Make this release");
  const reasons = Object.entries(release.asks.exceptions ?? {}).filter(([, reason]) => reason === REASON).map(([what]) => what);
  const reason = reasons.length ? element("input", { type: "text", maxLength: 2000, autocomplete: "off" }) : null;
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  button.addEventListener("click", () => {
    const said = reason?.value.trim();
    problem.hidden = !reason || Boolean(said);
    if (reason && !said) {
      problem.textContent = "A reason is missing: why may this limit be left? It stands in the report and in the manifest.";
      return reason.focus();
    }
    make({ ...release.asks, exceptions: excused(release.asks.exceptions, said) });
  });
  return element("li", { className: "card" },
    element(level, {}, title),
    element("p", {}, `${release.says ? `It ${release.says}: ` : ""}${release.says ? release.words : capital(release.words)}.`),
    element("p", { className: "small muted" }, `Smallest group ${release.smallest_class}, ${percent(release.loss)} of the detail lost, ${release.suppressed} of ${release.records} records suppressed.`),
    reason ? element("label", { className: "field" }, "Your reason", reason) : null,
    problem,
    // A column that goes is a decision about its role, which is made where roles are.
    way?.kind === "column dropped" ? element("a", { className: "button quiet", href: `/table/${table}` }, "Change the roles") : element("p", { className: "buttons" }, button));
}

const excused = (exceptions, reason) =>
  exceptions && Object.fromEntries(Object.entries(exceptions).map(([what, said]) => [what, said === REASON ? reason : said]));
