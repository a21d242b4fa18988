// Sliders: a level for every quasi-identifier and a share to suppress, locks, weights and own limits; the server answers from the counts.
import { ask, by, complain, counted, element, number, percent, withoutOptions } from "./page.js";
import { change, run, state, table } from "./workspace.js";
import { frontier } from "./frontier.js";
import { limitsPanel, judgedBy } from "./limits.js";
import { make } from "./made.js";
import { onPlan } from "./plan.js";
import { stacked } from "./stacked.js";

// What every word that judges looks like, and what a verdict is called: the page brings it, so that it says what reports say.
const { tones, signs, headlines } = JSON.parse(by("words").textContent);
const toneOf = (word) => tones[word] ?? "none";
// What came of the last release that was asked for stays, whoever draws the sliders anew meanwhile and whatever they answer.
const unmade = element("p", { className: "problem", role: "alert", hidden: true });
let making = 0;
let newest = null; // the sliders that are on the page

/** Prepare the sliders in `place`; return them. */
export async function explore(place) {
  if (!place.childElementCount) place.replaceChildren(element("p", { className: "muted" }, "The sliders are being prepared."));
  const plan = state().table.planned ? await ask("GET", `tables/${table}/plan.json`).catch(() => null) : null;
  const known = await prepared().catch((error) => { place.replaceChildren(element("p", { className: "problem" }, error.message)); });
  return known ? new Explorer(known, place, plan ? onPlan(plan).map(({ mark, title, release }) => ({ mark, title, loss: release.loss, risk: 1 / release.smallest_class })) : []) : null;
}

/** Return what can be chosen: as it was prepared before, unless it is about something else. */
async function prepared() {
  if (!state().table.explorable) await run("explorer", judgedBy());
  return ask("GET", `tables/${table}/explorer`);
}

class Explorer {
  constructor(problem, place, planned) {
    newest = this;
    this.planned = planned;
    this.problem = problem;
    this.place = place;
    this.tried = [];
    this.waiting = null; // the newest setting that has not been asked about yet
    this.asking = false;
    const { levels } = this.begin();
    this.sliders = new Map(problem.columns.map((column) => [column.column, this.slider(column, levels[column.column] ?? 0)]));
    this.suppression = this.suppressionSlider();
    this.answer = element("div", { className: "answer" });
    this.said = element("p", { className: "hidden", role: "status" });
    this.problemLine = element("p", { className: "problem", role: "alert", hidden: true });
    this.note = element("div", { id: "recoded" });
    place.replaceChildren(
      this.note,
      element("div", { className: "explorer" },
        element("div", { className: "sliders" },
          [...this.sliders.values()].map((slider) => slider.row), this.suppression.row,
          limitsPanel(() => this.again()), this.buttons()),
        this.answer),
      this.said, this.problemLine);
    this.show(problem.start);
    this.tried = [];
    this.answered = this.ask();
    stacked(this.note);
  }

  /** Where the sliders begin: where they were left, or near the version that is shown, or near the plan. */
  begin() {
    const { wished } = state();
    return { levels: Object.keys(wished.levels).length ? wished.levels : this.problem.planned ?? {} };
  }

  /** Set the sliders, as a plan does. */
  set(levels) {
    for (const [name, slider] of this.sliders) {
      slider.input.value = levels[name] ?? 0;
      slider.tell();
    }
    this.keep();
    this.ask();
    this.place.scrollIntoView({ block: "start" });
  }

  async again() {
    try {
      await run("explorer", judgedBy());
      this.problem = await ask("GET", `tables/${table}/explorer`);
      await this.ask();
    } catch (error) {
      this.complain(error);
    }
  }

  slider(column, level) {
    const input = element("input", { type: "range", min: 0, max: column.levels.length - 1, step: 1, value: Math.min(level, column.levels.length - 1), id: `level-${column.column}` });
    const words = element("span", { className: "small muted level" });
    const tell = () => {
      const chosen = column.levels[Number(input.value)];
      const text = `${chosen.words} (${counted(chosen.values, "value", "values")})`;
      words.textContent = text;
      input.setAttribute("aria-valuetext", text);
    };
    tell();
    input.addEventListener("input", () => { tell(); this.ask(); });
    input.addEventListener("change", () => this.keep());
    return { input, tell, row: row(input, column.column, words, this.bound(column.column)) };
  }

  /** A lock that keeps a column as it is in searches, and what its loss counts there. */
  bound(name) {
    const { untouched, weights } = state().wished;
    const lock = element("input", { type: "checkbox", checked: untouched.includes(name) });
    const weight = element("input", { type: "number", min: 0, step: "any", value: weights[name] ?? 1, className: "weight" });
    lock.setAttribute("aria-label", `Leave ${name} as it is in searches`);
    weight.setAttribute("aria-label", `What the loss of ${name} counts in searches`);
    lock.addEventListener("change", () => {
      const now = state().wished.untouched.filter((other) => other !== name);
      change({ wished: { untouched: lock.checked ? [...now, name] : now } }).catch((error) => this.complain(error));
    });
    weight.addEventListener("change", () => {
      if (!weight.checkValidity()) return this.complain(new Error(`The weight of ${name} stays what it was. ${weight.validationMessage}`));
      const { [name]: _, ...others } = state().wished.weights;
      const value = Number(weight.value);
      change({ wished: { weights: value === 1 || !(value >= 0) ? others : { ...others, [name]: value } } }).catch((error) => this.complain(error));
    });
    return element("span", { className: "small bound" }, element("label", {}, lock, " locked"), " ", element("label", {}, "weight ", weight));
  }

  suppressionSlider() {
    const input = element("input", { type: "range", min: 0, max: 20, step: 0.5, value: 100 * state().wished.suppression, id: "suppression" });
    const words = element("span", { className: "small muted level" });
    const tell = () => {
      words.textContent = `at most ${number(Number(input.value))} % of the records`;
      input.setAttribute("aria-valuetext", words.textContent);
    };
    tell();
    input.addEventListener("input", () => { tell(); this.ask(); });
    input.addEventListener("change", () => this.keep());
    return { input, tell, row: row(input, "records suppressed", words) };
  }

  /** Let the server keep where the sliders are. */
  keep() {
    change({ wished: this.setting() }).catch((error) => this.complain(error));
  }

  buttons() {
    const best = element("button", { type: "button", className: "button", id: "best" }, "Search the best");
    const apply = element("button", { type: "button", className: "quiet", id: "apply" }, "Apply these levels");
    const wide = element("input", { type: "checkbox", id: "wide" });
    const searched = () => {
      const { untouched, weights } = state().wished;
      return { method: "auto", alternatives: wide.checked, ...(untouched.length ? { untouched } : {}), ...(Object.keys(weights).length ? { weights } : {}) };
    };
    best.addEventListener("click", () => this.make(searched()));
    apply.addEventListener("click", () => this.make({ method: "global", levels: this.setting().levels }));
    this.makers = [best, apply];
    this.busy();
    return element("div", {},
      element("p", { className: "buttons" }, apply, " ", best),
      element("label", { className: "choice small" }, wide, element("span", {}, "Search the best for other class sizes and limits too; this takes longer")),
      unmade);
  }

  /** One release is made at a time. */
  busy() {
    for (const button of this.makers) button.disabled = making > 0;
  }

  setting() {
    const levels = Object.fromEntries([...this.sliders].map(([name, slider]) => [name, Number(slider.input.value)]));
    return { levels, suppression: Number(this.suppression.input.value) / 100 };
  }

  /** Ask about the setting as it is; while one question is under way only the newest waits. */
  async ask() {
    this.waiting = this.setting();
    if (this.asking) return;
    this.asking = true;
    try {
      while (this.waiting) {
        const setting = this.waiting;
        this.waiting = null;
        this.show(await ask("POST", `tables/${table}/explore`, setting));
      }
      this.complain(null);
    } catch (error) {
      this.complain(error);
    } finally {
      this.asking = false;
    }
  }

  complain(error) {
    complain(error, this.problemLine);
  }

  show(found) {
    const { risks } = found;
    const now = { loss: found.point.loss, risk: found.point.risk };
    this.answer.dataset.outcome = found.outcome;
    this.answer.dataset.milliseconds = found.milliseconds;
    const suppressed = found.needed > found.allowed
      ? `${counted(found.needed, "record", "records")} would have to be suppressed, ${number(found.allowed)} may be.`
      : `${counted(found.suppressed, "record", "records")} suppressed.`;
    this.answer.replaceChildren(
      element("div", { className: `verdict tone-${toneOf(found.outcome)} now` },
        element("p", { className: "small muted" }, "With the sliders as they are, one level for a whole column"),
        element("p", { className: "word", id: "what-if-verdict" }, headlines[found.outcome]),
        element("p", { className: "small muted" }, suppressed)),
      element("dl", { className: "figures" },
        figure("smallest group", number(risks.smallest_class)),
        figure("highest risk", percent(risks.highest)),
        figure(`in groups under ${number(risks.threshold)}`, percent(risks.records_at_risk)),
        figure("detail lost", percent(found.loss))),
      element("figure", { className: "chart" }, frontier({ tried: this.tried, now, best: this.best(), named: this.named(), limit: 1 / risks.threshold, tone: toneOf(found.outcome) }),
        element("figcaption", { className: "small muted" },
          element("span", { className: `key now is-${toneOf(found.outcome)}` }), "now ",
          element("span", { className: "key tried" }), "tried ",
          this.best().length ? [element("span", { className: "key series0" }), "best found "] : null,
          element("span", { className: "key line limit" }), "policy",
          this.named().map(({ mark, title }) => [" ", element("span", { className: "lettered-name" }, element("span", { className: "letter" }, mark), ` ${title}`)]).flat())),
      element("ul", { className: "plain rules" }, found.rules.map((rule) => {
        const tone = toneOf(rule.status);
        return element("li", { className: "small" },
          element("span", { className: `tag ${tone}` }, `${signs[tone]} ${rule.status}`), " ",
          `${rule.label}: ${rule.value === null ? withoutOptions(rule.reason ?? rule.status) : number(rule.value)} (${rule.limit.replaceAll(" ", "\u00a0")})`);
      })));
    this.tried.push(now);
    this.say(`${headlines[found.outcome]}. Smallest group ${number(risks.smallest_class)}, ${percent(found.loss)} of the detail lost.`);
  }

  /** The releases of the plan, by the marks that their cards have, and the versions that were searched. */
  named() {
    const versions = state().versions.filter(({ removed, loss, smallest_class: k }) => !removed && loss !== null && k);
    return [...this.planned, ...versions.map(({ number: n, name, loss, smallest_class: k }) => ({ mark: `V${n}`, title: name, loss, risk: 1 / k }))];
  }

  /** The frontier that the search of the version shown has found. */
  best() {
    const { versions, shown } = state();
    return versions.find(({ number: n }) => n === shown)?.frontier ?? [];
  }

  /** Tell a screen reader once the slider rests, not at every step. */
  say(text) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => { this.said.textContent = text; }, 400);
  }

  async make(wish) {
    complain(null, unmade);
    making += 1;
    this.busy();
    try {
      await make({ suppression: this.setting().suppression, ...judgedBy(), ...wish });
      await stacked(this.note);
    } catch (error) {
      complain(error, unmade);
    } finally {
      making -= 1;
      newest.busy();
    }
  }
}

const row = (input, title, words, bound) =>
  element("div", { className: "slider" }, element("label", { htmlFor: input.id }, title), input, words, bound ?? "");

const figure = (title, value) => element("div", {}, element("dt", {}, title), element("dd", {}, value));
