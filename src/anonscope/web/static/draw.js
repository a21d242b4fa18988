// A table that is drawn instead of recoded, and questions that are answered with noise: both say what they guarantee, or that they do not.
import { adopted, ask, by, complain, element, withoutOptions } from "./page.js";
import { at, onResult, run, state } from "./workspace.js";

const labelled = (title, input, hint = "") => element("div", {},
  element("label", { className: "field", htmlFor: input.id }, title), input, hint ? element("p", { className: "small muted" }, hint) : "");
const numeric = (id, value, step) => element("input", { type: "number", id, value, step, min: 0, autocomplete: "off" });
const given = (input) => (input.value.trim() === "" ? undefined : Number(input.value));

/** Return a text area whose content a file on this machine can fill. */
function text(id, rows) {
  return element("textarea", { id, rows, spellcheck: false, autocomplete: "off", className: "code" });
}

function filled(area, id, title, problem) {
  const input = element("input", { type: "file", id, className: "hidden" });
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (!file) return;
    complain(null, problem);
    area.value = await file.text();
    input.value = "";
  });
  return [input, element("label", { htmlFor: id, className: "button quiet" }, title)];
}

/** Run what a button stands for, once at a time; what goes wrong is said beside it. */
function acting(button, problem, act) {
  button.addEventListener("click", async () => {
    complain(null, problem);
    button.disabled = true;
    try {
      await act();
    } catch (error) {
      complain(error, problem);
    } finally {
      button.disabled = false;
    }
  });
}

/** Put the panel that draws a table into `place`. */
export async function drawPanel(place) {
  const methods = await ask("GET", "synthesis/methods");
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const method = element("select", { id: "draw-method" }, methods.map(({ name, title, promise }) => element("option", { value: name }, `${name}: ${title} (${promise})`)));
  const epsilon = numeric("draw-epsilon", "1", "any"), delta = numeric("draw-delta", "1e-9", "any");
  const records = numeric("draw-records", "", "1"), aside = numeric("draw-hold-out", "0.2", "any");
  const domain = text("draw-domain", 12);
  const draft = element("button", { type: "button", className: "quiet", id: "draft-domain" }, "Draft it from the data");
  const go = element("button", { type: "button", className: "button", id: "draw" }, "Draw a table");
  const about = element("p", { className: "small muted", id: "draw-about" });
  const budget = element("div", { className: "pair" },
    labelled("Epsilon", epsilon, "What may be lost about anybody."), labelled("Delta", delta));
  const chosen = () => methods.find(({ name }) => name === method.value);
  const show = () => {
    budget.hidden = !chosen().private;
    about.textContent = `${chosen().source}.`;
  };
  method.addEventListener("change", show);
  acting(draft, problem, async () => {
    const answer = await fetch(`${at}/domain.toml`);
    if (!answer.ok) throw new Error((await answer.json()).detail ?? "No domain can be drafted.");
    domain.value = await answer.text();
  });
  acting(go, problem, async () => {
    const reason = by("reason")?.value.trim() ?? state().reason;
    const { private: guaranteed, name } = chosen();
    await run("synthesise", {
      method: name,
      ...(guaranteed ? { epsilon: given(epsilon), delta: given(delta) } : {}),
      ...(given(records) ? { records: given(records) } : {}),
      hold_out: given(aside) ?? 0,
      ...(domain.value.trim() ? { domain: domain.value } : {}),
      ...(reason ? { acknowledge_rest: reason } : {}),
    });
  });
  place.replaceChildren(
    labelled("Method", method), about, budget,
    element("div", { className: "pair" },
      labelled("Records", records, "Empty: about as many as the table has."),
      labelled("Share of the people kept aside", aside, "The control of the attack on membership.")),
    labelled("Domain", domain, "The values that columns can have, declared without looking at the data. What a draft read from the data is marked in it, and nothing is guaranteed until it is replaced."),
    problem,
    element("p", { className: "buttons" }, draft, ...filled(domain, "domain-file", "Take a file", problem), go));
  show();
}

/** Return what a plan offers to draw instead, each with the button that goes to the panel below. */
export function offered(drawn, methods) {
  const called = (method) => methods.find(({ name }) => name === method)?.title ?? method;
  if (!drawn.length) return [];
  return [element("h3", {}, "What could be drawn instead"), element("ul", { className: "plain cards", id: "offered" }, drawn.map((way) => {
    const go = element("button", { type: "button", className: "button quiet" }, "How it is drawn");
    go.addEventListener("click", () => {
      by("draw-panel").open = true;
      by("draw-method").value = way.method;
      by("draw-method").dispatchEvent(new Event("change"));
      by("draw-method").focus();
    });
    const lines = [`Guaranteed: ${way.guaranteed}.`, `Not guaranteed: ${way.not_guaranteed}.`, `What it would tell: ${withoutOptions(way.utility)}.`];
    return element("li", { className: "card" }, element("h4", {}, `${called(way.method)} (${way.method})`), ...lines.map((line) => element("p", { className: "small" }, line)), element("p", { className: "buttons" }, go));
  }))];
}

/** Put the panel that answers questions with noise into `place`. */
export function answerPanel(place) {
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const queries = text("queries", 10);
  const go = element("button", { type: "button", className: "button", id: "answer" }, "Answer");
  const outcome = element("div", { className: "nested", id: "answered" });
  acting(go, problem, () => run("answer", { queries: queries.value }));
  const show = async (job) => {
    if (job === null) return outcome.replaceChildren();
    const page = await fetch(job.location.replace(/json$/, "html"));
    if (!page.ok) throw new Error("The answers cannot be shown.");
    const found = adopted(await page.text());
    for (const heading of found.flatMap((part) => [...part.querySelectorAll("h1, h2")])) heading.replaceWith(element("h3", {}, heading.textContent));
    outcome.replaceChildren(...found, element("p", {},
      element("a", { className: "button quiet", href: job.location.replace(/json$/, "html"), download: "" }, "Answers (HTML)"), " ",
      element("a", { className: "button quiet", href: job.location, download: "" }, "Answers (JSON)")));
  };
  onResult("answer", (result) => show(result).catch((error) => complain(error, problem)));
  place.replaceChildren(
    labelled("Questions, budget and domain", queries, "As a TOML file: every answer comes with an interval, and a file that asks for more than its budget is refused."),
    problem, element("p", { className: "buttons" }, ...filled(queries, "queries-file", "Take a file", problem), go), outcome);
}
