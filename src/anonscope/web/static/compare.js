// Compare: versions that were made here and releases that are added, side by side; and an outside table that somebody may match.
import { adopted, ask, by, complain, element } from "./page.js";
import { outsidePanel } from "./beside.js";
import { formOf, sent } from "./upload.js";
import { weighed } from "./weighing.js";
import { change, onChange, onResult, run, state, table } from "./workspace.js";

/** Return a section of another page with headings that fit below the heading of the panel. */
function asPart(section) {
  for (const heading of section.querySelectorAll("h1, h2")) heading.replaceWith(element("h3", {}, heading.textContent));
  return section;
}

/** Show a result in `place`, with its files; `asked` says whether somebody waits for it here. */
async function shown(result, place, title, asked, above = async () => []) {
  if (result === null) return place.replaceChildren();
  const made = result.location.replace(/json$/, "html");
  const page = await fetch(made);
  if (!page.ok) throw new Error("The result cannot be shown.");
  const [lead, ...rest] = adopted(await page.text()).map(asPart);
  const before = state().measured ? "" : element("p", { className: "question" }, "This is from before columns or policy were changed.");
  place.replaceChildren(before, lead, ...await above(result.location), ...rest,
    element("p", {}, element("a", { className: "button quiet", href: made, download: "" }, `${title} (HTML)`), " ",
      element("a", { className: "button quiet", href: result.location, download: "" }, `${title} (JSON)`)));
  const heading = place.querySelector("h3");
  if (!heading || !asked) return;
  heading.tabIndex = -1;
  heading.focus();
}

/** Return a button that sends a file and gives the table that came of it to `take`. */
function chooser(id, title, progress, say, take) {
  const input = element("input", { type: "file", id, className: "hidden", multiple: true });
  input.addEventListener("change", async () => {
    const [file, form] = formOf(input.files);
    if (!file) return;
    say(null);
    try {
      take(await sent(form, file.name, progress));
    } catch (error) {
      say(error);
    } finally {
      input.value = "";
    }
  });
  return [input, element("label", { htmlFor: id, className: "button quiet" }, title)];
}

function comparePanel(place) {
  let asked = false; // whether somebody waits for a comparison on this page
  const list = element("ul", { className: "plain", id: "versions" });
  const progress = element("div", { className: "progress", hidden: true });
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const outcome = element("div", { className: "nested", id: "compared" });
  const go = element("button", { type: "button", className: "button", id: "run-compare" }, "Compare");
  const observed = element("input", { type: "checkbox", id: "observed" });
  let control = null; // people who are in no version: with them every one is attacked
  const against = element("span", { className: "small muted", id: "attacked-with" });
  const say = (error) => complain(error, problem);
  const chosen = () => state().versions.filter(({ number, removed }) => !removed && !state().left_out.includes(number)).map(({ number }) => number);

  function draw() {
    const own = state().versions.filter(({ removed }) => !removed).map(({ number, name, verdict }) => {
      const box = element("input", { type: "checkbox", checked: !state().left_out.includes(number), id: `compare-${number}` });
      box.addEventListener("change", () => {
        const others = state().left_out.filter((other) => other !== number);
        change({ left_out: box.checked ? others : [...others, number] }).then(() => by(box.id)?.focus(), say);
      });
      return element("li", {}, element("label", { className: "choice" }, box, element("span", {}, name, " ", element("span", { className: `tag ${verdict.tone}` }, `${verdict.sign} ${verdict.words}`))));
    });
    const { added: releases } = state();
    const added = releases.map((version) => {
      const remove = element("button", { type: "button", className: "quiet small" }, "Remove");
      remove.setAttribute("aria-label", `Remove ${version.name}`);
      remove.addEventListener("click", () => change({ added: releases.map(({ id }) => id).filter((id) => id !== version.id) })
        .then(() => ask("DELETE", `tables/${version.id}`)).catch(say));
      return element("li", {}, element("span", {}, version.name), " ", element("span", { className: "small muted" }, "added"), " ", remove);
    });
    list.replaceChildren(...own, ...added);
    go.disabled = !state().table.audited || chosen().length + releases.length === 0;
  }

  go.addEventListener("click", async () => {
    say(null);
    go.disabled = true;
    asked = true;
    try {
      const wish = { original: table, versions: chosen(), releases: state().added.map(({ id }) => id), unknown: observed.checked ? "observed" : "anything", ...(control ? { control: control.id } : {}) };
      await run("compare", wish, "");
    } catch (error) {
      say(error);
    } finally {
      draw();
    }
  });
  place.replaceChildren(list,
    element("p", { className: "buttons" },
      chooser("add-version", "Add a version", progress, say, (version) => change({ added: [...state().added.map(({ id }) => id), version.id] }).catch(say)), " ",
      chooser("compare-control", "Attack them: add a control table", progress, say, (found) => {
        control = found;
        against.textContent = `Every version is attacked, with ${found.name} as the control.`;
      }), " ", against, " ",
      element("label", { className: "choice inline" }, observed,
        element("span", {}, "a value that nothing explains is what it replaced, record by record; else it may be anything")), " ", go),
    progress, problem, outcome);
  onChange(draw);
  draw();
  onResult("compare", (result) => shown(result, outcome, "Comparison", asked, async (location) => [await weighed(location)]).catch(say));
}

function linkPanel(place) {
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const outcome = element("div", { className: "nested", id: "matched" });
  let asked = false; // whether somebody waits for it on this page
  const named = element("span", { className: "small muted" });
  const go = element("button", { type: "button", id: "run-link", disabled: true }, "Match it");
  const panel = outsidePanel("outside", "Add an outside table", "add-external", (now) => {
    named.textContent = now.id ? `matched with ${state().shown_name.toLowerCase()}` : "";
    go.disabled = !now.id;
    go.now = now;
  });
  go.addEventListener("click", async () => {
    complain(null, problem);
    go.disabled = true;
    asked = true;
    try {
      const { shown: version } = state();
      const { id, columns } = go.now;
      const wish = { release: table, external: id, ...(Object.keys(columns).length ? { columns } : {}), ...(version ? { version } : {}) };
      await run("link", wish, "");
    } catch (error) {
      complain(error, problem);
    } finally {
      go.disabled = false;
    }
  });
  const whose = element("p", { className: "small muted" });
  place.replaceChildren(panel, element("p", { className: "buttons" }, go, " ", named), problem, whose, outcome);
  onResult("link", (result) => {
    whose.textContent = result ? `${result.version}:` : "";
    shown(result, outcome, "Linkage", asked).catch((error) => complain(error, problem));
  });
}

comparePanel(by("comparison"));
linkPanel(by("linked"));
