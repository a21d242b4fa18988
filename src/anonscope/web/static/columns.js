// Columns: what every column is. One row a column, one click or key a role; the server keeps what was said.
import { ask, by, complain, counted, element, number, percent } from "./page.js";
import { change, changeAt, measured, onChange, roomAddress, run, settled, state, table } from "./workspace.js";
import { scenarioPanel } from "./scenarios.js";
import { strip } from "./strip.js";

// The roles as the page brings them: what each is called, the key under which it is sent, its letter, and whether only one column can have it.
const ROLES = JSON.parse(by("role-words").textContent);
const named = (key) => ROLES.find((known) => known.key === key).name;
const [DIRECT, QUASI, SENSITIVE] = ["direct_identifiers", "quasi_identifiers", "sensitive"].map(named);
const UNSAID = named(null);
// How sure a suggestion is, in words and by colour, and whether somebody has to look.
const CERTAINTY = JSON.parse(by("certainty").textContent);
const contexts = JSON.parse(by("contexts").textContent);
const summaries = JSON.parse(by("summaries").textContent);

let columns = [];
const marked = new Set();
let role = new Map(); // column -> role

/** Return the role of every column, as the server keeps them. */
function roles() {
  const known = state().roles ?? {};
  const found = new Map(columns.map(({ name }) => [name, UNSAID]));
  for (const { key, name, single } of ROLES) {
    for (const column of key === null ? [] : single ? [known[key]] : known[key] ?? []) if (column) found.set(column, name);
  }
  for (const column of Object.values(known.scenarios ?? {}).flat()) found.set(column, QUASI);
  return found;
}

const bar = (share, text) => {
  const box = element("div", { className: "meter" }, element("i"), element("span", {}, text));
  box.firstChild.style.setProperty("width", `${Math.round(100 * Math.min(1, Math.max(0, share)))}%`);
  return box;
};

// On a narrow screen a row is a card, and the heads of the columns are not there: then every cell says what it is.
const titled = (title) => ({ "data-title": title });

function line(column, at) {
  const { name } = column;
  const { values, missing, records } = column.evidence;
  const pill = ({ name: value, title }) => {
    const input = element("input", { type: "radio", name: `role-${at}`, value });
    input.addEventListener("change", () => assign([name], value));
    return element("label", { className: "pill" }, input, element("span", {}, title));
  };
  const rare = element("select", {}, element("option", { value: "" }, "…"), ROLES.filter((one) => one.rare).map((one) => element("option", { value: one.name }, one.title)));
  rare.setAttribute("aria-label", `Other role of ${name}`);
  rare.addEventListener("change", () => { if (rare.value) assign([name], rare.value); });
  const mark = element("input", { type: "checkbox" });
  mark.setAttribute("aria-label", `Mark ${name}`);
  mark.addEventListener("change", () => { if (mark.checked) marked.add(name); else marked.delete(name); tools(); });
  const open = element("button", { type: "button", className: "quiet small why", ariaExpanded: "false" }, "Why");
  open.setAttribute("aria-label", `Why: ${name}`);
  open.addEventListener("click", () => unfold(at));
  const group = element("fieldset", {}, element("legend", { className: "hidden" }, `Role of ${name}`),
    element("div", { className: "roles" }, ROLES.filter((one) => !one.rare).map(pill), rare));
  const row = element("tr", { id: `column-${at}`, tabIndex: at ? -1 : 0 },
    element("td", {}, mark),
    element("th", { scope: "row" }, element("b", { className: "name" }, name), " ", element("span", { className: "small muted" }, column.type)),
    element("td", { className: "role" }, group),
    element("td", titled("How sure"), element("span", { className: `tag ${CERTAINTY[column.confidence].tone}` }, CERTAINTY[column.confidence].words)),
    element("td", titled("Distinct"), bar(records ? values / records : 0, number(values))),
    element("td", titled("Missing"), bar(missing, missing > 0 ? percent(missing) : "none")),
    element("td", {}, open));
  row.addEventListener("keydown", (event) => keyed(event, at));
  return row;
}

/** Open or close why a column is taken for what it is, and what more can be said of it. */
function unfold(at) {
  const row = by(`column-${at}`);
  const button = row.querySelector(".why");
  if (row.nextElementSibling?.classList.contains("reasons")) {
    row.nextElementSibling.remove();
    button.ariaExpanded = "false";
    return;
  }
  const column = columns[at];
  const facts = [...column.reasons, ...column.disagreements];
  const more = element("td", { colSpan: 7 }, element("ul", { className: "small" }, facts.map((fact) => element("li", {}, fact))));
  if (role.get(column.name) === SENSITIVE) more.append(distance(column.name));
  row.after(element("tr", { className: "reasons" }, more));
  button.ariaExpanded = "true";
}

/** Ask whether the values of a sensitive column have an order. */
function distance(name) {
  const known = state().roles?.distance ?? {};
  const choose = element("select", {},
    ...[["", "as its type says"], ["ordered", "ordered: near values are alike"], ["equal", "equal: every two values are as far apart"]].map(([value, title]) =>
      element("option", { value, selected: (known[name] ?? "") === value }, title)));
  choose.addEventListener("change", () => {
    const next = { ...(state().roles?.distance ?? {}) };
    if (choose.value) next[name] = choose.value;
    else delete next[name];
    change({ distance: next }).catch(complain);
  });
  return element("label", { className: "small" }, "Its values are ", choose);
}

/** Give columns a role, all of them in one step that can be taken back. */
async function assign(names, wanted) {
  const { key } = ROLES.find((known) => known.name === wanted);
  try {
    complain(null);
    await change({ assign: Object.fromEntries(names.map((name) => [name, key])) });
  } catch (error) {
    complain(error);
    draw();
  }
}

function keyed(event, at) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
  const inRoles = event.target.matches("input[type=radio]");
  const moves = { ArrowDown: 1, ArrowUp: -1 };
  const wanted = ROLES.find(({ letter }) => letter === event.key.toLowerCase());
  if (wanted) assign([columns[at].name], wanted.name);
  else if (event.key in moves && !inRoles) step(at, moves[event.key]);
  else if (event.key.toLowerCase() === "x") by(`column-${at}`).querySelector("input[type=checkbox]").click();
  else if (event.key === "Enter" && event.target.matches("tr")) unfold(at);
  else return;
  event.preventDefault();
}

function step(at, by_) {
  for (let next = at + by_; next >= 0 && next < columns.length; next += by_) {
    const row = by(`column-${next}`);
    if (!row.hidden) {
      by(`column-${at}`).tabIndex = -1;
      row.tabIndex = 0;
      return row.focus();
    }
  }
}

/** Show only what is looked for; what is hidden keeps its role. */
function filter() {
  const text = by("find").value.trim().toLowerCase();
  const only = by("only").value;
  columns.forEach((column, at) => {
    const fits = (!text || column.name.toLowerCase().includes(text))
      && (!only || (only === "look" ? CERTAINTY[column.confidence].look || role.get(column.name) === UNSAID : role.get(column.name) === only));
    const row = by(`column-${at}`);
    row.hidden = !fits;
    if (row.nextElementSibling?.classList.contains("reasons")) row.nextElementSibling.hidden = !fits;
  });
}

function tools() {
  by("marked").textContent = marked.size ? `${counted(marked.size, "column", "columns")} marked` : "";
  by("all-role").disabled = !marked.size;
  by("undo").disabled = !state().undoable;
}

function draw() {
  role = roles();
  columns.forEach(({ name }, at) => {
    const row = by(`column-${at}`);
    const chosen = role.get(name);
    const rare = ROLES.find((known) => known.name === chosen).rare;
    for (const input of row.querySelectorAll("input[type=radio]")) input.checked = input.value === chosen;
    row.querySelector("select").value = rare ? chosen : "";
    row.querySelector("select").classList.toggle("set", rare);
  });
  const known = having(QUASI);
  by("summary").textContent = known.length
    ? `An outsider may know ${counted(known.length, "column", "columns")}; ${counted(having(SENSITIVE).length, "is", "are")} ${SENSITIVE}, ${counted(having(DIRECT).length, "names", "name")} people directly${unsaid()}.`
    : `Choose at least one ${QUASI}: a column that an outsider may know.`;
  by("roles").querySelector("button[type=submit]").disabled = known.length === 0;
  by("policy-summary").textContent = summaries[state().policy];
  answers();
  filter();
  tools();
  strip(by("strip"));
}

/** What is left to be said, as the end of a sentence. */
function unsaid() {
  const open = having(UNSAID).length;
  return open ? `; of ${counted(open, "column", "columns")} nobody said what ${open === 1 ? "it is" : "they are"}` : "";
}

const having = (wanted) => columns.map((c) => c.name).filter((name) => role.get(name) === wanted);

/** Set the three questions to what was answered, or else to what leads to the policy that is chosen; where it is none of theirs, to nothing. */
function answers() {
  const { answers: said, policy } = state();
  const wanted = Object.keys(said).length ? said : contexts.find((context) => context.policy === policy);
  for (const input of document.querySelectorAll(".questions input")) input.checked = wanted?.[input.name] === input.value;
}

document.querySelector(".questions").addEventListener("change", () => {
  const given = Object.fromEntries([...document.querySelectorAll(".questions input:checked")].map(({ name, value }) => [name, value]));
  // Where no answers lead to the policy that stood here, those that are not given yet are the usual ones.
  const { policy: _, ...answers } = contexts.find((context) => Object.entries(given).every(([name, value]) => context[name] === value));
  change({ answers }).catch(complain);
});
by("find").addEventListener("input", filter);
by("only").addEventListener("change", filter);
by("undo").addEventListener("click", () => changeAt("POST", "workspace/undo").catch(complain));
by("all-role").addEventListener("change", (event) => {
  const wanted = event.target.value;
  event.target.value = "";
  if (wanted) assign([...marked], wanted);
});

by("roles").addEventListener("submit", async (event) => {
  event.preventDefault();
  complain(null);
  try {
    // Once the server has taken the job it lives there, and the next room shows how far it is; before that, leaving would lose it.
    await settled();
    await ask("POST", `tables/${table}/audit`, measured());
    location.assign(roomAddress("risk"));
  } catch (error) {
    complain(error);
    by("problem").scrollIntoView({ block: "center" });
  }
});

// Roles are suggested again with what a dictionary says; the room then begins anew.
by("dictionary").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  try {
    await run("suggest", { dictionary: await file.text() });
    location.reload();
  } catch (error) {
    complain(error);
  }
});

try {
  if (!state().table.suggested) await run("suggest", {});
  const suggestion = await ask("GET", `tables/${table}/suggestion`);
  columns = suggestion.columns;
  by("only").append(...ROLES.map(({ name, title }) => element("option", { value: name }, title)));
  by("all-role").append(element("option", { value: "" }, "Role of all marked"), ...ROLES.map(({ name, title }) => element("option", { value: name }, title)));
  by("columns").tBodies[0].append(...columns.map(line));
  onChange(draw);
  draw();
  scenarioPanel(by("scenarios"), () => columns.map(({ name }) => name));
  by("roles").hidden = false;
} catch (error) {
  complain(error);
}
