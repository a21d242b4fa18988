// Versions of the table side by side, and an outside table that somebody may match them with.
import { adopted, ask, element } from "./page.js";
import { follow } from "./job.js";
import { formOf, sent } from "./upload.js";

/** Put the panel for versions of a table into `place`. */
export function comparePanel(table, place) {
  const releases = []; // tables that were added as versions
  let external = null;
  let anonymised = false;

  const list = element("ul", { className: "plain", id: "versions" });
  const progress = element("div", { className: "progress", hidden: true });
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const outcome = element("div", { className: "nested", id: "compared" });
  const run = element("button", { type: "button", className: "button", id: "run-compare", disabled: true }, "Compare");
  const own = element("input", { type: "checkbox", id: "own-release", disabled: true });
  const observed = element("input", { type: "checkbox", id: "observed" });

  const complain = (error) => {
    problem.hidden = !error;
    problem.textContent = error ? error.message : "";
  };

  function refresh() {
    const named = releases.map((version) => [version, "version", () => releases.splice(releases.indexOf(version), 1)]);
    if (external) named.push([external, "outside table", () => { external = null; }]);
    list.replaceChildren(...named.map(([version, kind, drop]) => {
      const remove = element("button", { type: "button", className: "quiet small" }, "Remove");
      remove.setAttribute("aria-label", `Remove ${version.name}`);
      remove.addEventListener("click", () => {
        drop();
        ask("DELETE", `tables/${version.id}`).catch(complain);
        refresh();
      });
      return element("li", {}, element("span", {}, version.name), " ", element("span", { className: "small muted" }, kind), " ", remove);
    }));
    own.disabled = !anonymised;
    run.disabled = releases.length === 0 && !own.checked;
  }

  function chooser(id, title, take) {
    const input = element("input", { type: "file", id, className: "hidden", multiple: true });
    input.addEventListener("change", async () => {
      const [file, form] = formOf(input.files);
      if (!file) return;
      complain(null);
      try {
        take(await sent(form, file.name, progress));
        refresh();
      } catch (error) {
        complain(error);
      } finally {
        input.value = "";
      }
    });
    return [input, element("label", { htmlFor: id, className: "button quiet" }, title)];
  }

  run.addEventListener("click", async () => {
    complain(null);
    run.disabled = true;
    outcome.replaceChildren();
    try {
      const wish = { original: table, releases: releases.map((version) => version.id), own_release: own.checked, external: external?.id ?? null,
        unknown: observed.checked ? "observed" : "anything" };
      const job = await follow(await ask("POST", "compare", wish), progress);
      const made = job.location.replace(/json$/, "html");
      const page = await fetch(made);
      if (!page.ok) throw new Error("The comparison cannot be shown.");
      const parts = adopted(await page.text());
      outcome.replaceChildren(
        ...parts.map(asPart),
        element("p", {},
          element("a", { className: "button quiet", href: made, download: "" }, "Comparison (HTML)"), " ",
          element("a", { className: "button quiet", href: job.location, download: "" }, "Comparison (JSON)")));
      const heading = outcome.querySelector("h3");
      heading.tabIndex = -1;
      heading.focus();
    } catch (error) {
      complain(error);
    } finally {
      refresh();
    }
  });
  own.addEventListener("change", refresh);
  document.addEventListener("anonymised", (event) => {
    anonymised = event.detail.released;
    own.checked = anonymised;
    refresh();
  });

  place.replaceChildren(
    list,
    element("p", { className: "buttons" },
      chooser("add-version", "Add a version", (version) => releases.push(version)), " ",
      chooser("add-external", "Add an outside table", (found) => { external = found; }), " ",
      element("label", { className: "choice inline" }, own, element("span", {}, "the release made above")), " ",
      element("label", { className: "choice inline" }, observed,
        element("span", {}, "a value that nothing explains is what it replaced, record by record; else it may be anything")), " ", run),
    progress, problem, outcome);
  refresh();
}

/** Return a section of another page with headings that fit below the heading of the panel. */
function asPart(section) {
  for (const heading of section.querySelectorAll("h1, h2")) {
    heading.replaceWith(element("h3", {}, heading.textContent));
  }
  return section;
}
