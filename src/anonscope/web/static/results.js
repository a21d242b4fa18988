// The third page: the report, and below it what can be tried, compared and taken home.
import { aboutOf, adopted, ask, by, complain, element, grid, number, Refused, tableOf } from "./page.js";
import { follow } from "./job.js";
import { explore } from "./explorer.js";
import { comparePanel } from "./compare.js";
import { planPanel } from "./plan.js";

const table = tableOf();

async function report() {
  const job = new URLSearchParams(location.hash.slice(1)).get("job");
  if (job) {
    history.replaceState(null, "", location.pathname);
    await follow(await ask("GET", `jobs/${job}`), by("progress"));
  }
  const response = await fetch(`/api/v1/tables/${table}/audit.html`);
  if (!response.ok) {
    const answer = await response.json().catch(() => null);
    throw new Refused(answer?.error ?? "There is no audit of this table yet.", response.status);
  }
  const text = await response.text();
  by("report").replaceChildren(element("p", { className: "muted small" }, aboutOf(text)), ...adopted(text));
  // The file says "on this page"; this page has a switch that shows values, further down.
  for (const node of [...by("report").querySelectorAll(".verdict > p.muted")].flatMap((line) => [...line.childNodes])) {
    if (node.nodeType === Node.TEXT_NODE) node.data = node.data.replace("Nothing on this page", "Nothing in this report");
  }
  by("waiting").remove();
  by("results").hidden = false;
  const verdict = by("report").querySelector("h1");
  verdict.tabIndex = -1;
  verdict.focus(); // a screen reader begins with the verdict
  document.title = `anonscope: ${verdict.textContent}`;
}

/** Row numbers first; values only after a deliberate switch, and never in a file. */
async function records(values) {
  const place = by("record-list");
  try {
    const answer = await ask("POST", `tables/${table}/records`, { top: 20, values, confirm: values });
    const flip = element("input", { type: "checkbox", checked: values });
    flip.setAttribute("role", "switch");
    flip.addEventListener("change", () => records(flip.checked));
    place.replaceChildren(
      element("label", { className: "choice" }, flip, element("span", {}, "Show the values of these people on this screen. Look around you first.")),
      grid(answer.columns, answer.records.map((row) => row.map((cell) => (cell === null ? "–" : typeof cell === "number" ? number(cell) : String(cell))))));
    place.querySelector("input").focus();
    by("show-records").hidden = true;
  } catch (error) {
    place.replaceChildren(element("p", { className: "problem", role: "alert" }, error.message));
  }
}

by("show-records").addEventListener("click", () => records(false));
by("forget").addEventListener("click", async () => {
  const sure = element("button", { type: "button", className: "danger" }, "Yes, delete it");
  sure.addEventListener("click", () => ask("DELETE", `tables/${table}`).then(() => location.assign("/"), complain));
  by("forget").replaceWith(sure);
  sure.focus();
});

try {
  await report();
  const explorer = explore(table, by("explorer"));
  planPanel(table, by("planned"), async (wishes) => (await explorer)?.anonymise(wishes));
  comparePanel(table, by("comparison"));
} catch (error) {
  complain(error);
}
