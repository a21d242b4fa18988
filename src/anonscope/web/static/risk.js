// Risk: what was measured, the best way out of it, the records at most risk, and what an attacker finds out.
import { aboutOf, adopted, ask, by, complain, element, grid, number } from "./page.js";
import { at, change, onChange, roomAddress, state, table } from "./workspace.js";
import { planPanel } from "./plan.js";
import { askedPanel, showMade } from "./made.js";
import { attackPanel } from "./attack.js";
import { concernedPanel } from "./concerned.js";

let chosen = {}; // the attacker and the rule whose records are listed
let drawn = null; // whose audit is on the page: the table as it is, or a version, by a policy

/** Return the version whose risk is shown: the one that is shown everywhere, where it was measured. */
const measuredVersion = ({ shown, versions }) => versions.find(({ number: n, audited }) => n === shown && audited);

const aboutWhat = (now) => `${measuredVersion(now)?.number ?? 0} ${now.policy}`;

async function report() {
  const now = state();
  if (!now.table.audited) {
    by("waiting-title").textContent = now.jobs.length ? "Measuring the risk" : "Nothing is measured yet";
    return;
  }
  const version = measuredVersion(now);
  const address = version ? `${at}/versions/${version.number}/audit` : `${at}/audit`;
  const first = drawn === null;
  const about = aboutWhat(now);
  drawn = about;
  const response = await fetch(`${address}.html`);
  if (drawn !== about) return;
  if (!response.ok) throw new Error((await response.json().catch(() => null))?.error ?? "There is no audit of this table yet.");
  const text = await response.text();
  if (drawn !== about) return;
  const focused = document.activeElement;
  by("results").insertBefore(by("releases"), by("records"));
  by("report").replaceChildren(element("p", { className: "muted small" }, version ? `${version.name} of ${now.table.name}, by the policy ${now.policy}.` : aboutOf(text)), ...adopted(text));
  for (const link of document.querySelectorAll("#downloads a[data-ending]")) link.href = `${address}.${link.dataset.ending}`;
  // The file says "on this page"; this page has a switch that shows values, further down.
  for (const node of [...by("report").querySelectorAll(".verdict > p.muted")].flatMap((line) => [...line.childNodes])) {
    if (node.nodeType === Node.TEXT_NODE) node.data = node.data.replace("Nothing on this page", "Nothing in this report");
  }
  // The plan with its buttons stands where the report has its own, which is kept for whoever wants its commands.
  const plan = by("report").querySelector("section#plan");
  by("told-plan").hidden = !plan;
  plan?.replaceWith(by("releases"));
  // A version has no plan: what can be had of it stands below its verdict.
  if (version) by("report").querySelector("h1").closest("section").after(by("releases"));
  by("told-plan").querySelector(".nested").replaceChildren(...(plan ? [plan] : []));
  by("waiting").hidden = true;
  by("results").hidden = false;
  const verdict = by("report").querySelector("h1");
  verdict.tabIndex = -1;
  if (first) verdict.focus(); // a screen reader begins with the verdict
  else if (focused !== document.activeElement && focused.isConnected) focused.focus(); // what is moved loses it
  document.title = `anonscope: ${verdict.textContent}`;
  by("record-list").replaceChildren();
  by("show-records").hidden = false;
  concernedPanel(by("whom"), (about) => { chosen = about; if (by("show-records").hidden) records(false); }).catch(complain);
  await planPanel(by("planned"), { brief: true });
}

/** Say whose risk it is, where that is a version; the table as it is is one click away. */
function whose(now) {
  const version = measuredVersion(now);
  by("whose-records").hidden = now.shown === null;
  by("about").hidden = now.shown === null || !now.table.audited;
  if (by("about").hidden) return;
  const back = element("button", { type: "button", className: "quiet small" }, "Show the table as it is");
  back.addEventListener("click", () => change({ shown: 0 }).catch(complain));
  by("about").replaceChildren(version ? `This is ${now.shown_name}, as it would leave. ` : `${now.shown_name} has no figures with these columns by this policy, so this is the table as it is. `, version ? back : "");
}

function refreshed(now, ended) {
  by("stale").hidden = now.measured || !now.table.audited;
  whose(now);
  showMade(by("made"));
  // A version whose verdict is about other roles is shown no longer, also where they were changed in another tab.
  const other = drawn !== null && drawn.split(" ")[0] !== String(measuredVersion(now)?.number ?? 0);
  if (drawn === null ? now.table.audited || ended : ended?.kind === "audit" || other || (now.measured && drawn !== aboutWhat(now))) report().catch(complain);
  if (drawn !== null && ended?.kind === "plan") planPanel(by("planned"), { brief: true }).catch(complain);
  if (!now.table.audited) by("waiting-title").textContent = now.jobs.length ? "Measuring the risk" : "Nothing is measured yet";
}

/** Row numbers first; values only after a deliberate switch, and never in a file. */
async function records(values) {
  const place = by("record-list");
  try {
    const answer = await ask("POST", `tables/${table}/records`, { top: 20, values, confirm: values, ...chosen });
    const flip = element("input", { type: "checkbox", checked: values });
    flip.setAttribute("role", "switch");
    flip.addEventListener("change", () => records(flip.checked));
    place.replaceChildren(
      element("label", { className: "choice" }, flip, element("span", {}, "Show the values of these people on this screen. Look around you first.")),
      grid(answer.columns, answer.records.map((row) => row.map((cell) => (cell === null ? "–" : typeof cell === "number" ? number(cell) : String(cell))))));
    if (!by("show-records").hidden) place.querySelector("input").focus();
    by("show-records").hidden = true;
  } catch (error) {
    place.replaceChildren(element("p", { className: "problem", role: "alert" }, error.message));
  }
}

by("show-records").addEventListener("click", () => records(false));
onChange(refreshed);
askedPanel(by("asked"));
attackPanel(by("attacks"));
refreshed(state());
if (drawn === null && state().table.audited === false && !state().jobs.length) by("waiting").querySelector("a").href = roomAddress("columns");
