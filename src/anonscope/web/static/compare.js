// Compare: versions that were made here and releases that are added, side by side; and an outside table that somebody may match.
import { adopted, ask, by, complain, element } from "./page.js";
import { outsidePanel } from "./beside.js";
import { formOf, sent } from "./upload.js";
import { weighed } from "./weighing.js";
import { onChange, run, state, table } from "./workspace.js";

/** Return a section of another page with headings that fit below the heading of the panel. */
function asPart(section) {
  for (const heading of section.querySelectorAll("h1, h2")) heading.replaceWith(element("h3", {}, heading.textContent));
  return section;
}

/** Show the result of a job in `place`, with its files. */
async function shown(job, place, title, above = async () => []) {
  const made = job.location.replace(/json$/, "html");
  const page = await fetch(made);
  if (!page.ok) throw new Error("The result cannot be shown.");
  const [lead, ...rest] = adopted(await page.text()).map(asPart);
  place.replaceChildren(lead, ...await above(job.location), ...rest,
    element("p", {}, element("a", { className: "button quiet", href: made, download: "" }, `${title} (HTML)`), " ",
      element("a", { className: "button quiet", href: job.location, download: "" }, `${title} (JSON)`)));
  const heading = place.querySelector("h3");
  if (!heading) return;
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
  const releases = []; // tables that were added as versions
  const left = new Set(); // versions that are not compared
  const list = element("ul", { className: "plain", id: "versions" });
  const progress = element("div", { className: "progress", hidden: true });
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const outcome = element("div", { className: "nested", id: "compared" });
  const go = element("button", { type: "button", className: "button", id: "run-compare" }, "Compare");
  const observed = element("input", { type: "checkbox", id: "observed" });
  let control = null; // people who are in no version: with them every one is attacked
  const against = element("span", { className: "small muted", id: "attacked-with" });
  const say = (error) => complain(error, problem);
  const chosen = () => state().versions.filter(({ number, removed }) => !removed && !left.has(number)).map(({ number }) => number);

  function draw() {
    const own = state().versions.filter(({ removed }) => !removed).map(({ number, name, verdict }) => {
      const box = element("input", { type: "checkbox", checked: !left.has(number) });
      box.addEventListener("change", () => { if (box.checked) left.delete(number); else left.add(number); draw(); });
      return element("li", {}, element("label", { className: "choice" }, box, element("span", {}, name, " ", element("span", { className: `tag ${verdict.tone}` }, `${verdict.sign} ${verdict.words}`))));
    });
    const added = releases.map((version) => {
      const remove = element("button", { type: "button", className: "quiet small" }, "Remove");
      remove.setAttribute("aria-label", `Remove ${version.name}`);
      remove.addEventListener("click", () => {
        releases.splice(releases.indexOf(version), 1);
        ask("DELETE", `tables/${version.id}`).catch(say);
        draw();
      });
      return element("li", {}, element("span", {}, version.name), " ", element("span", { className: "small muted" }, "added"), " ", remove);
    });
    list.replaceChildren(...own, ...added);
    go.disabled = !state().table.audited || chosen().length + releases.length === 0;
  }

  go.addEventListener("click", async () => {
    say(null);
    go.disabled = true;
    outcome.replaceChildren();
    try {
      const wish = { original: table, versions: chosen(), releases: releases.map(({ id }) => id), unknown: observed.checked ? "observed" : "anything", ...(control ? { control: control.id } : {}) };
      await shown(await run("compare", wish, ""), outcome, "Comparison", async (location) => [await weighed(location)]);
    } catch (error) {
      say(error);
    } finally {
      draw();
    }
  });
  place.replaceChildren(list,
    element("p", { className: "buttons" },
      chooser("add-version", "Add a version", progress, say, (version) => { releases.push(version); draw(); }), " ",
      chooser("compare-control", "Attack them: add a control table", progress, say, (found) => {
        control = found;
        against.textContent = `Every version is attacked, with ${found.name} as the control.`;
      }), " ", against, " ",
      element("label", { className: "choice inline" }, observed,
        element("span", {}, "a value that nothing explains is what it replaced, record by record; else it may be anything")), " ", go),
    progress, problem, outcome);
  onChange(draw);
  draw();
}

function linkPanel(place) {
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const outcome = element("div", { className: "nested", id: "matched" });
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
    try {
      const { shown: version } = state();
      const { id, columns } = go.now;
      const wish = { release: table, external: id, ...(Object.keys(columns).length ? { columns } : {}), ...(version ? { version } : {}) };
      await shown(await run("link", wish, ""), outcome, "Linkage");
    } catch (error) {
      complain(error, problem);
    } finally {
      go.disabled = false;
    }
  });
  place.replaceChildren(panel, element("p", { className: "buttons" }, go, " ", named), problem, outcome);
}

comparePanel(by("comparison"));
linkPanel(by("linked"));
