// Sign-off: the version that leaves, its report, the bundles for the recipient and for the archive, and whether it still is what was published.
import { adopted, by, complain, element } from "./page.js";
import { at, onChange, roomAddress, run, state } from "./workspace.js";
import { downloads } from "./made.js";

let drawn = null;

async function draw(now) {
  const version = now.versions.find(({ number }) => number === now.shown);
  const key = version ? `${version.number} ${now.policy} ${version.verdict.words}` : "none";
  if (drawn === key) return;
  drawn = key;
  by("dossier").replaceChildren(...(version ? [dossier(version)] : []));
  by("verify").replaceChildren(...(version ? [verifier(version)] : [element("p", { className: "muted" }, "There is no release yet.")]));
  if (!version) {
    by("leaves").replaceChildren(element("p", { className: "lead" }, "No version is shown, so nothing leaves. "),
      element("p", {}, element("a", { href: roomAddress("repair") }, "Make a release"), ", or choose a version above."));
    return by("report").replaceChildren();
  }
  by("leaves").replaceChildren(
    element("p", { className: "lead" }, `${version.name} of ${now.table.name}: ${version.verdict.words}, by the policy ${now.policy}.`),
    version.verdict.reason ? element("p", {}, version.verdict.reason) : "",
    element("ul", { className: "plain links" }, downloads(version).map(([file, title]) =>
      element("li", {}, element("a", { className: "button quiet", href: `${at}/versions/${version.number}/${file}`, download: "" }, title)))));
  const page = version.reported ? await fetch(`${at}/versions/${version.number}/report.html`) : null;
  if (drawn !== key) return;
  const parts = page?.ok ? adopted(await page.text()) : [];
  for (const heading of parts.flatMap((part) => [...part.querySelectorAll("h1")])) heading.replaceWith(element("h2", { className: heading.className }, ...heading.childNodes));
  // What it says is about the policy and the roles with which the version was made, also where others stand in the head by now.
  by("report").replaceChildren(...(parts.length ? [element("p", { className: "muted small" }, `How ${version.name.toLowerCase()} was made, by the policy ${version.policy}.`)] : []), ...parts);
}

/** List the dossiers that were written, also by an earlier run of a project. */
function earlier(now) {
  const files = now.signed.map((number, i) => element("li", {},
    element("a", { href: `${at}/signed/${i + 1}.html`, download: "" }, `Dossier ${i + 1}, of version ${number} (HTML)`)));
  by("earlier").replaceChildren(...(files.length ? [element("h2", {}, "Dossiers that were written"), element("ul", { className: "plain links" }, files)] : []));
}

/** Return what writes the dossier of a version: what was measured before and after, by which rules, and what people stated. */
function dossier(version) {
  const answers = element("input", { type: "file", id: "answers", className: "hidden", accept: ".toml" });
  const named = element("span", { className: "small muted" });
  answers.addEventListener("change", () => { named.textContent = answers.files[0]?.name ?? ""; });
  return element("div", {}, element("h2", {}, "The dossier behind it"),
    element("p", { className: "muted small" }, "What whoever signs wants to know, from measurements before and after; what only people know (who decided, for whom, until when) comes from a file of answers, and is said to be missing without one."),
    element("p", { className: "buttons" }, element("a", { className: "button quiet", id: "questions", href: `${at}/questions.toml`, download: "" }, "Questions to fill in (TOML)"), answers, element("label", { htmlFor: "answers", className: "button quiet" }, "Add answers (TOML)"), named),
    runner("Write the dossier", "run-sign-off", "signed", async () => {
      const [file] = answers.files;
      return run("sign-off", { version: version.number, ...(file ? { answers: await file.text() } : {}) });
    }, "Dossier"));
}

/** Return a button that runs a job and shows the page that comes of it, with its files. */
function runner(words, id, place, begin, title) {
  const go = element("button", { type: "button", className: "quiet", id }, words);
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const outcome = element("div", { className: "nested", id: place });
  go.addEventListener("click", async () => {
    complain(null, problem);
    go.disabled = true;
    try {
      const job = await begin();
      const address = job.location.replace(/json$/, "html");
      const page = await fetch(address);
      const parts = page.ok ? adopted(await page.text()) : [];
      for (const heading of parts.flatMap((part) => [...part.querySelectorAll("h1, h2")])) heading.replaceWith(element("h3", {}, heading.textContent));
      outcome.replaceChildren(...parts, element("p", {}, element("a", { className: "button quiet", href: address, download: "" }, `${title} (HTML)`), " ",
        element("a", { className: "button quiet", href: job.location, download: "" }, `${title} (JSON)`)));
    } catch (error) {
      complain(error, problem);
    } finally {
      go.disabled = false;
    }
  });
  return element("div", {}, element("p", {}, go), problem, outcome);
}

const verifier = (version) => runner(`Verify ${version.name.toLowerCase()}`, "run-verify", "verified", () => run(`versions/${version.number}/verify`), "Verification");

onChange((now) => { earlier(now); draw(now).catch(() => {}); });
earlier(state());
draw(state()).catch(() => {});
