// What if: a slider for every quasi-identifier and one for suppression; the server answers from the counts.
import { adopted, ask, by, counted, element, number, percent } from "./page.js";
import { follow } from "./job.js";
import { frontier } from "./frontier.js";

// What every word that judges looks like, and what a verdict is called: the page brings it, so that it says what reports say.
const { tones, signs, headlines } = JSON.parse(by("words").textContent);
const toneOf = (word) => tones[word] ?? "none";

/** Prepare the sliders of a table in `place`; return what makes releases. */
export async function explore(table, place) {
  const progress = element("div", { className: "progress" });
  place.replaceChildren(progress);
  try {
    await follow(await ask("POST", `tables/${table}/explorer`, {}), progress);
    return new Explorer(table, await ask("GET", `tables/${table}/explorer`), place);
  } catch (error) {
    place.replaceChildren(element("p", { className: "problem" }, error.message));
  }
}

class Explorer {
  constructor(table, problem, place) {
    this.table = table;
    this.problem = problem;
    this.tried = [];
    this.best = [];
    this.waiting = null; // the newest setting that has not been asked about yet
    this.asking = false;
    this.sliders = new Map(problem.columns.map((column) => [column.column, this.slider(column)]));
    this.suppression = this.suppressionSlider();
    this.answer = element("div", { className: "answer" });
    this.said = element("p", { className: "hidden", role: "status" });
    this.progress = element("div", { className: "progress", hidden: true });
    this.problemLine = element("p", { className: "problem", role: "alert", hidden: true });
    this.outcome = element("div", { id: "anonymised" });
    place.replaceChildren(
      element("div", { className: "explorer" },
        element("div", { className: "sliders" },
          [...this.sliders.values()].map((slider) => slider.row), this.suppression.row, this.buttons()),
        this.answer),
      this.said, this.progress, this.problemLine, this.outcome);
    this.show(problem.start);
  }

  slider(column) {
    const input = element("input", { type: "range", min: 0, max: column.levels.length - 1, step: 1, value: 0, id: `level-${column.column}` });
    const words = element("span", { className: "small muted level" });
    const tell = () => {
      const level = column.levels[Number(input.value)];
      const text = `${level.words} (${counted(level.values, "value", "values")})`;
      words.textContent = text;
      input.setAttribute("aria-valuetext", text);
    };
    tell();
    input.addEventListener("input", () => { tell(); this.ask(); });
    return { input, tell, row: row(input, column.column, words) };
  }

  suppressionSlider() {
    const input = element("input", { type: "range", min: 0, max: 20, step: 0.5, value: 100 * this.problem.suppression, id: "suppression" });
    const words = element("span", { className: "small muted level" });
    const tell = () => {
      words.textContent = `at most ${number(Number(input.value))} % of the records`;
      input.setAttribute("aria-valuetext", words.textContent);
    };
    tell();
    input.addEventListener("input", () => { tell(); this.ask(); });
    return { input, tell, row: row(input, "records suppressed", words) };
  }

  buttons() {
    const best = element("button", { type: "button", className: "button", id: "best" }, "Suggest the best");
    const apply = element("button", { type: "button", className: "quiet", id: "apply" }, "Apply these levels");
    const wide = element("input", { type: "checkbox", id: "wide" });
    best.addEventListener("click", () => this.anonymise({ method: "auto", alternatives: wide.checked }));
    apply.addEventListener("click", () => this.anonymise({ method: "global", levels: this.setting().levels }));
    this.busy = (flag) => { best.disabled = flag; apply.disabled = flag; };
    return element("div", {},
      this.question(),
      element("p", { className: "buttons" }, best, " ", apply),
      element("label", { className: "choice small" }, wide, element("span", {}, "Search the best for other class sizes and limits too; this takes longer")));
  }

  /** Ask for the word that a release needs about columns without a role: one reason for all of them. */
  question() {
    const { open } = this.problem;
    if (!open.words) return null;
    if (open.identify) {
      return element("p", { className: "problem", id: "identifying" }, `${open.words} `,
        element("a", { href: `/table/${this.table}` }, "Back to the columns"));
    }
    this.reason = element("input", { type: "text", id: "reason", required: true, maxLength: 2000, autocomplete: "off" });
    return element("div", { className: "question" },
      element("label", { className: "field", htmlFor: "reason" }, open.words),
      this.reason,
      element("p", { className: "small muted" }, "Nobody gave them a role, so they are in no measurement. Your reason stands in the report and in the manifest."));
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
        this.show(await ask("POST", `tables/${this.table}/explore`, setting));
      }
      this.complain(null);
    } catch (error) {
      this.complain(error);
    } finally {
      this.asking = false;
    }
  }

  complain(error) {
    this.problemLine.hidden = !error;
    this.problemLine.textContent = error ? error.message : "";
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
        element("p", { className: "word", id: "what-if-verdict" }, headlines[found.outcome]),
        element("p", { className: "small muted" }, suppressed)),
      element("dl", { className: "figures" },
        figure("smallest group", number(risks.smallest_class)),
        figure("highest risk", percent(risks.highest)),
        figure(`in groups under ${number(risks.threshold)}`, percent(risks.records_at_risk)),
        figure("detail lost", percent(found.loss))),
      element("figure", { className: "chart" }, frontier(this.tried, now, this.best, 1 / risks.threshold),
        element("figcaption", { className: "small muted" },
          element("span", { className: "key now" }), "now ",
          element("span", { className: "key tried" }), "tried ",
          this.best.length ? [element("span", { className: "key series0" }), "best found "] : null,
          element("span", { className: "key line" }), "policy")),
      element("ul", { className: "plain rules" }, found.rules.map((rule) => {
        const tone = toneOf(rule.status);
        return element("li", { className: "small" },
          element("span", { className: `tag ${tone}` }, `${signs[tone]} ${rule.status}`), " ",
          `${rule.label}: ${rule.value === null ? (rule.reason ?? rule.status) : number(rule.value)} (${rule.limit})`);
      })));
    this.tried.push(now);
    this.say(`${headlines[found.outcome]}. Smallest group ${number(risks.smallest_class)}, ${percent(found.loss)} of the detail lost.`);
  }

  /** Tell a screen reader once the slider rests, not at every step. */
  say(text) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => { this.said.textContent = text; }, 400);
  }

  async anonymise(wish) {
    this.complain(null);
    if (this.reason && !this.reason.value.trim()) {
      this.complain(new Error("A reason is missing: why may the columns without a role be released?"));
      this.reason.focus();
      return;
    }
    if (this.reason) wish = { ...wish, acknowledge_rest: this.reason.value.trim() };
    this.busy(true);
    this.progress.scrollIntoView({ block: "center" });
    try {
      const { suppression } = this.setting();
      await follow(await ask("POST", `tables/${this.table}/anonymise`, { suppression, ...wish }), this.progress);
      const found = await ask("GET", `tables/${this.table}/anonymisation.json`);
      this.adopt(found);
      await this.offer(found);
    } catch (error) {
      this.complain(error);
    } finally {
      this.busy(false);
    }
  }

  /** Show the frontier that the search found and, if every column has one level, set the sliders to it. */
  adopt(found) {
    this.best = found.frontier.map(({ loss, risk }) => ({ loss, risk }));
    const single = found.columns.map((column) => [column.column, column.levels.find((level) => level.share === 1)]);
    if (single.every(([, level]) => level)) {
      for (const [name, level] of single) {
        const slider = this.sliders.get(name);
        slider.input.value = level.level;
        slider.tell();
      }
    }
    this.ask();
  }

  async offer(found) {
    const at = `/api/v1/tables/${this.table}`;
    const released = found.outcome !== null;
    const page = await fetch(`${at}/anonymisation.html`);
    const [lead, ...rest] = page.ok ? adopted(await page.text()) : [];
    // The report has the words and the colour: what the audit of the release says decides them; limits that are met do not.
    const heading = element("h3", { tabIndex: -1 }, lead?.querySelector("h1")?.textContent ?? "");
    const links = [["release.csv", "Release (CSV)"], ["release.recipe.toml", "Recipe"], ["release.manifest.json", "Manifest"],
      ["release-for-recipient.zip", "For the recipient (ZIP)"], ["release-for-archive.zip", "For your archive only (ZIP)"]];
    const sentence = lead?.querySelector(".lead");
    this.outcome.replaceChildren(
      element("div", { className: `verdict box ${toneClass(lead)}` }, heading, sentence ?? "",
        released && found.method !== "global"
          ? element("p", { className: "small muted" }, "Every combination of values has levels of its own here, which loses less; the sliders, with one level for a whole column, cannot show it.")
          : "",
        released ? element("ul", { className: "plain links" }, links.map(([file, title], i) =>
          element("li", {}, element("a", { className: i ? "button quiet" : "button", href: `${at}/${file}`, download: "" }, title)))) : ""),
      element("details", {}, element("summary", {}, "Before and after, column by column"), element("div", { className: "nested" }, rest)));
    heading.focus();
    document.dispatchEvent(new CustomEvent("anonymised", { detail: { released } }));
  }
}

/** Return the colour that a part of a report has. */
const toneClass = (part) => [...(part?.classList ?? [])].find((name) => name.startsWith("tone-")) ?? "";

const row = (input, title, words) =>
  element("div", { className: "slider" }, element("label", { htmlFor: input.id }, title), input, words);

const figure = (title, value) => element("div", {}, element("dt", {}, title), element("dd", {}, value));
