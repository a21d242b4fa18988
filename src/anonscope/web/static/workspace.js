// The head of every room: file, policy, version, verdict, and what is under way. The server keeps all of it; two tabs show the same.
import { ask, by, complain, element } from "./page.js";
import { follow } from "./job.js";

export const table = by("desk").dataset.id;
export const at = `/api/v1/tables/${table}`;
export const roomAddress = (room) => `/w/${table}/${room}`;

let current = JSON.parse(by("state").textContent);
let adoptions = 0; // how often the server has told of it
const listeners = [];
const others = new BroadcastChannel(`workspace-${table}`);

/** Return the workspace as the server told of it last. */
export const state = () => current;

/** Call `listener(now, ended)` at every change; `ended` is the job that brought it, if one did. */
export const onChange = (listener) => listeners.push(listener);

/** Call `show(result)` with what was found last by work of this kind, now and whenever there is something newer. */
export function onResult(kind, show) {
  let known = null;
  const look = ({ results }) => {
    const found = results[kind];
    if ((found?.location ?? null) === known) return;
    known = found?.location ?? null;
    show(found ?? null);
  };
  onChange(look);
  look(current);
}

// What was changed here and the server has not answered yet: whoever measures waits for it, or old roles would be measured.
let pending = Promise.resolve();
function tracked(changing) {
  pending = Promise.allSettled([pending, changing]);
  return changing;
}

/** Wait until the server knows everything that was changed here. */
export const settled = () => pending;

/** Change something in the workspace; all tabs follow. */
export const change = (wish) => changeAt("PATCH", "workspace", wish);

/** Ask for a change at another address that answers with the workspace. */
export const changeAt = (method, path, body) => tracked(asked(method, path, body).then((next) => {
  others.postMessage("changed");
  return next;
}));

/** Look at the workspace again. */
export const refresh = (ended) => asked("GET", "workspace", undefined, ended);

/** Ask for the workspace and show it; an answer that others have overtaken on their way is not shown in the place of theirs. */
async function asked(method, path, body, ended) {
  const before = adoptions;
  const next = await ask(method, `tables/${table}/${path}`, body);
  if (before === adoptions || next.revision >= current.revision) current = next;
  adoptions += 1;
  head();
  for (const job of current.jobs) show(job).catch(() => {}); // whoever asked for it hears of what went wrong
  for (const listener of listeners) listener(current, ended);
  return next;
}

function head() {
  by("policy").value = current.policy;
  const versions = current.versions.filter((version) => !version.removed);
  by("shown").replaceChildren(
    element("option", { value: "0" }, "The table as it is"),
    ...versions.map((version) => element("option", { value: String(version.number) }, version.name)));
  by("shown").value = String(current.shown ?? 0);
  const { tone, sign, words, reason } = current.verdict;
  by("verdict-word").className = `tag ${tone}`;
  const text = `${sign} ${words}`;
  if (by("verdict-word").textContent !== text) by("verdict-word").textContent = text;
  by("verdict-why").textContent = reason ?? "";
  by("notice").hidden = !current.notice;
  by("notice").textContent = current.notice;
  by("measure").hidden = current.measured || !current.roles || current.jobs.length > 0;
}

/** Show a job in the head until it has ended, wherever it was begun; then look again. */
function show(job) {
  const known = show.jobs.get(job.id);
  if (known) return known;
  const line = element("div", { className: "progress" });
  by("under-way").append(line);
  by("under-way").hidden = false;
  const ending = follow(job, line).finally(async () => {
    line.remove();
    by("under-way").hidden = !by("under-way").children.length;
    await refresh(job);
  });
  show.jobs.set(job.id, ending);
  return ending;
}
show.jobs = new Map();

/** Wait for a job of this kind that is under way, if there is one. */
export const underWay = (kind) => Promise.all(current.jobs.filter((job) => job.kind === kind).map(show));

/** Begin a job about this table, or one that a path names; return how it ended, or throw what stopped it. */
export async function run(path, body, root = `tables/${table}`) {
  const job = await ask("POST", root ? `${root}/${path}` : path, body);
  others.postMessage("begun");
  return show(job);
}

/** Measure the table with the roles and the policy as they stand. */
export const measure = () => settled().then(() => run("audit", measured()));

/** Return what an audit of the workspace asks for. */
export function measured() {
  const { roles, policy, reason } = current;
  return { roles, policy, ...(reason ? { acknowledge_rest: reason } : {}) };
}

const said = (error) => complain(error, by("desk-problem"));

by("policy").addEventListener("change", async (event) => {
  said(null);
  try {
    await change({ policy: event.target.value });
    if (current.table.audited) await measure();
  } catch (error) {
    said(error);
    head();
  }
});
by("shown").addEventListener("change", (event) => change({ shown: Number(event.target.value) }).catch(said));
by("measure").addEventListener("click", () => { said(null); measure().catch(said); });

by("copy-as").addEventListener("click", async () => {
  try {
    const { lines } = await ask("GET", `tables/${table}/copy?room=${by("desk").dataset.room}`);
    by("copied-lines").replaceChildren(...lines.flatMap(({ title, text, note }) => {
      const copy = element("button", { type: "button", className: "quiet small" }, "Copy");
      copy.addEventListener("click", () => navigator.clipboard?.writeText(text).then(() => { copy.textContent = "Copied"; }, () => {}));
      return [element("h3", {}, title), element("pre", { tabIndex: 0 }, text), element("p", { className: "small muted" }, note ?? ""), element("p", {}, copy)];
    }));
    by("copied").showModal();
  } catch (error) {
    said(error);
  }
});

others.addEventListener("message", () => refresh().catch(() => {}));
// A page that the browser kept from before, and one that was left in the background, may be behind.
window.addEventListener("pageshow", (event) => { if (event.persisted) refresh().catch(() => {}); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh().catch(() => {}); });
// What is clicked before a script listens would be lost.
for (const id of ["policy", "shown", "measure", "copy-as"]) by(id).disabled = false;
for (const job of current.jobs) show(job).catch(said);
