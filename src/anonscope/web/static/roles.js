// The second page: what every column is, and which policy is asked.
import { ask, by, complain, counted, element, number, percent, tableOf } from "./page.js";
import { follow } from "./job.js";

// The roles as the page brings them: what each is called, the key under which it is sent, and whether only one column can have it.
const ROLES = JSON.parse(by("role-words").textContent);
const named = (key) => ROLES.find((known) => known.key === key).name;
const [DIRECT, QUASI, SENSITIVE, PERSON] = ["direct_identifiers", "quasi_identifiers", "sensitive", "person"].map(named);
const UNSAID = named(null);
// How sure a suggestion is, in words and by colour, and whether somebody has to look.
const CERTAINTY = JSON.parse(by("certainty").textContent);
// A page with more rows than this would be slow; the rest comes on request.
const CHUNK = 150;

const table = tableOf();
const role = new Map(); // column -> role
const contexts = JSON.parse(by("contexts").textContent);
const summaries = JSON.parse(by("summaries").textContent);
let columns = [];
let shown = 0;

function facts(column) {
  const { values, missing } = column.evidence;
  return `${column.type} · ${counted(values, "distinct value", "distinct values")} · ${missing > 0 ? `${percent(missing)} missing` : "none missing"}`;
}

function line(column, at) {
  const pill = ({ name: value, title, rare }) => {
    const input = element("input", { type: "radio", name: `role-${at}`, value, checked: role.get(column.name) === value });
    input.addEventListener("change", () => assign(column.name, value));
    return element("label", { className: `pill ${rare ? "rare" : ""}` }, input, element("span", {}, title));
  };
  const group = element("fieldset", {},
    element("legend", { className: "hidden" }, `Role of ${column.name}`),
    element("div", { className: "roles" }, ROLES.filter(({ rare }) => !rare).map(pill)),
    element("div", { className: "roles" }, ROLES.filter(({ rare }) => rare).map(pill)));
  const why = column.reasons.join(" ");
  return element("div", { className: "column", id: `column-${at}` },
    element("div", {},
      element("b", { className: "name" }, column.name), " ",
      element("span", { className: `tag ${CERTAINTY[column.confidence].tone}` }, CERTAINTY[column.confidence].words),
      element("p", { className: "small muted" }, facts(column)),
      element("p", { className: "small" }, why),
      column.disagreements.length ? element("p", { className: "small muted" }, column.disagreements.join(" ")) : null),
    group);
}

function showMore() {
  const next = columns.slice(shown, shown + CHUNK);
  by("columns").append(...next.map((column, i) => line(column, shown + i)));
  shown += next.length;
  by("more").hidden = shown >= columns.length;
  by("more").textContent = `Show more columns (${number(columns.length - shown)} left)`;
}

/** Give a column a role; a role that only one column can have leaves the one that had it. */
function assign(name, wanted) {
  if (ROLES.some(({ name: known, single }) => single && known === wanted)) {
    for (const [other, had] of role) if (had === wanted && other !== name) role.set(other, UNSAID);
  }
  role.set(name, wanted);
  refresh();
}

function refresh() {
  for (let at = 0; at < shown; at += 1) {
    const chosen = role.get(columns[at].name);
    const input = by(`column-${at}`).querySelector(`input[value="${chosen}"]`);
    if (!input.checked) input.checked = true;
  }
  const person = having(PERSON)[0] ?? "";
  by("person").value = person;
  for (const input of by("level").querySelectorAll("input")) input.checked = (input.value === "event") === (person !== "");
  const known = having(QUASI);
  by("summary").textContent = known.length
    ? `An outsider may know ${counted(known.length, "column", "columns")}; ${counted(having(SENSITIVE).length, "is", "are")} ${SENSITIVE}, ${counted(having(DIRECT).length, "names", "name")} people directly${unsaid()}.`
    : `Choose at least one ${QUASI}: a column that an outsider may know.`;
  by("roles").querySelector("button[type=submit]").disabled = known.length === 0;
}

/** What is left to be said, as the end of a sentence. */
function unsaid() {
  const open = having(UNSAID).length;
  return open ? `; of ${counted(open, "column", "columns")} nobody said what ${open === 1 ? "it is" : "they are"}` : "";
}

const having = (wanted) => columns.map((c) => c.name).filter((name) => role.get(name) === wanted);

by("person").addEventListener("change", (event) => {
  for (const name of having(PERSON)) role.set(name, UNSAID);
  if (event.target.value) role.set(event.target.value, PERSON);
  refresh();
});
by("level").addEventListener("change", (event) => {
  if (event.target.name !== "level") return;
  if (event.target.value === "person") for (const name of having(PERSON)) assign(name, UNSAID);
  else by("person").focus();
});
by("more").addEventListener("click", showMore);

function answersChanged() {
  const answers = Object.fromEntries([...document.querySelectorAll(".questions input:checked")].map((input) => [input.name, input.value]));
  by("policy").value = contexts.find((context) => Object.entries(answers).every(([name, value]) => context[name] === value)).policy;
  policyChanged();
}
const policyChanged = () => { by("policy-summary").textContent = summaries[by("policy").value]; };
document.querySelector(".questions").addEventListener("change", answersChanged);
by("policy").addEventListener("change", policyChanged);

by("roles").addEventListener("submit", async (event) => {
  event.preventDefault();
  complain(null);
  const roles = Object.fromEntries(ROLES.filter(({ key }) => key).map(({ key, name, single }) => [key, single ? having(name)[0] ?? null : having(name)]));
  try {
    const job = await ask("POST", `tables/${table}/audit`, { roles, policy: by("policy").value });
    location.assign(`/table/${table}/results#job=${job.id}`);
  } catch (error) {
    complain(error);
    by("problem").scrollIntoView({ block: "center" });
  }
});

// Roles are suggested again with what a dictionary says; the page then begins anew.
by("dictionary").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  try {
    by("progress").hidden = false;
    await follow(await ask("POST", `tables/${table}/suggest`, { dictionary: await file.text() }), by("progress"));
    location.reload();
  } catch (error) {
    by("progress").hidden = true;
    complain(error);
  }
});

async function suggested() {
  const { suggested: known } = await ask("GET", `tables/${table}`);
  if (!known) await follow(await ask("POST", `tables/${table}/suggest`, {}), by("progress"));
  return ask("GET", `tables/${table}/suggestion`);
}

try {
  const suggestion = await suggested();
  columns = suggestion.columns;
  // What nothing tells is not called harmless by a page that nobody has read.
  for (const column of columns) role.set(column.name, column.role === named("insensitive") && CERTAINTY[column.confidence].look ? UNSAID : column.role);
  by("about").textContent = `${suggestion.source}: ${counted(suggestion.records, "record", "records")}, ${counted(columns.length, "column", "columns")}. This is what we take them for; is it right?`;
  by("person").append(...columns.map((column) => element("option", { value: column.name }, column.name)));
  showMore();
  refresh();
  answersChanged();
  by("roles").hidden = false;
  by("progress").hidden = true;
} catch (error) {
  complain(error);
}
