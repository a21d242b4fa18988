// Making releases, and the box of the version that is shown: what it is like, and its downloads.
import { adopted, by, complain, element, percent } from "./page.js";
import { at, change, changeAt, onChange, run, settled, state } from "./workspace.js";

const FILES = [["release.csv", "Release (CSV)"], ["release.parquet", "Release (Parquet)"], ["release.recipe.toml", "Recipe (for you only)"], ["release.manifest.json", "Manifest"],
  ["release-for-recipient.zip", "For the recipient (ZIP)"], ["release-for-archive.zip", "For your archive only (ZIP)"]];

/** Make a release; it becomes a version and is shown. What fails is thrown, and takes nothing away. */
export async function make(wishes) {
  const { open, versions } = state();
  // What stands in the field counts, also while the server is being told of it.
  const reason = by("reason")?.value.trim() ?? state().reason;
  if (open.identify) throw new Error(open.words);
  if (open.words && !reason) throw new Error("A reason is missing: why may the columns without a role be released?");
  await settled();
  await run("anonymise", { ...wishes, ...(reason ? { acknowledge_rest: reason } : {}) });
  if (state().versions.length > versions.length) return;
  const [lead] = await parts(`${at}/anonymisation.html`);
  const said = [lead?.querySelector("h1")?.textContent, lead?.querySelector(".lead")?.textContent].filter(Boolean).join(". ").replace(/; below is [^.]*\.$/, ".");
  const failed = new Error(said || "There is no release.");
  // What stands below in the report stands nowhere on this page.
  failed.more = element("a", { href: `${at}/anonymisation.html`, target: "_blank", rel: "noopener" }, "What would work, or comes closest.");
  throw failed;
}

/** Ask in `place` for the word that a release needs about columns without a role, for as long as it needs one. */
export function askedPanel(place) {
  let known = null;
  const draw = ({ open }) => {
    const now = JSON.stringify(open);
    if (now === known) return;
    known = now;
    place.replaceChildren(question() ?? "");
  };
  onChange(draw);
  draw(state());
}

function question() {
  const { open, reason } = state();
  if (!open.words) return null;
  if (open.identify) return element("p", { className: "problem", id: "identifying" }, `${open.words} `, element("a", { href: "columns" }, "To the columns"));
  const input = element("input", { type: "text", id: "reason", required: true, maxLength: 2000, autocomplete: "off", value: reason });
  input.addEventListener("change", () => change({ reason: input.value.trim() }).catch(() => {}));
  return element("div", { className: "question" },
    element("label", { className: "field", htmlFor: "reason" }, open.words), input,
    element("p", { className: "small muted" }, "Nobody gave them a role, so they are in no measurement. Your reason stands in the report and in the manifest."));
}

/** Return the parts of a report; none where it cannot be had, as a release is there without it. */
async function parts(address) {
  const page = await fetch(address).catch(() => null);
  return page?.ok ? adopted(await page.text().catch(() => "")) : [];
}

let drawn = null; // the version whose box is on the page

/** Show the version that is shown everywhere, if one is, in `place`. */
export async function showMade(place) {
  const { shown, versions, policy } = state();
  const version = versions.find(({ number }) => number === shown);
  const key = version ? `${version.number} ${policy} ${version.verdict.words}` : null;
  if (key === drawn) return;
  const first = drawn !== null || place.dataset.asked;
  drawn = key;
  if (!version) return place.replaceChildren();
  const [lead, ...rest] = version.reported ? await parts(`${at}/versions/${version.number}/report.html`) : [];
  if (drawn !== key) return;
  const heading = element("h3", { tabIndex: -1 }, `${version.name}: ${version.verdict.words}`);
  // What the report of its making says holds for as long as it is judged by what it was made for.
  const sentence = version.verdict.outcome === null ? null : lead?.querySelector(".lead");
  place.replaceChildren(
    element("div", { className: `verdict box tone-${version.verdict.tone}`, id: "made-version" }, heading, sentence ?? "",
      element("p", { className: "small muted" }, `${version.how[0].toUpperCase()}${version.how.slice(1)} for the policy ${version.policy}; judged by ${policy}.${version.verdict.reason ? ` ${version.verdict.reason}` : ""}`),
      element("ul", { className: "plain links" }, downloads(version).map(([file, title], i) =>
        element("li", {}, element("a", { className: i ? "button quiet" : "button", href: `${at}/versions/${version.number}/${file}`, download: "" }, title))))),
    ...(rest.length ? [element("details", {}, element("summary", {}, version.promise ? "What was counted, what it still tells, and the attack" : "Before and after, column by column"), element("div", { className: "nested" }, rest))] : []));
  place.dataset.asked = "yes";
  if (first) heading.focus();
}

/** Return the files of a version, each with what it is called. */
export const downloads = (version) => FILES.filter(([file]) => version.files.includes(file));

/** Put the list of versions into `place`: show, remove, bring back. */
export function versionList(place) {
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const list = element("ol", { className: "plain versions" });
  const button = (title, name, act) => {
    const found = element("button", { type: "button", className: "quiet small" }, title);
    found.setAttribute("aria-label", `${title} ${name}`);
    found.addEventListener("click", () => act().then(() => complain(null, problem), (error) => complain(error, problem)));
    return found;
  };
  const draw = ({ versions, shown, original }) => {
    const row = (name, verdict, now, about, ...buttons) => element("li", { className: now ? "now" : "" },
      element("b", {}, name), " ", element("span", { className: `tag ${verdict.tone}` }, `${verdict.sign} ${verdict.words}`), " ",
      element("span", { className: "small muted" }, about), " ", ...buttons);
    list.replaceChildren(
      row("The table as it is", original, shown === null, "", shown === null ? "" : button("Show", "the table as it is", () => change({ shown: 0 }))),
      ...versions.map((version) => {
        const { number, name, verdict, how, policy, removed, loss, promise, tells } = version;
        const drawn = [promise, tells].filter(Boolean).join("; ");
        const about = `${how} for ${policy}${loss === null ? "" : `, ${percent(loss)} of the detail lost`}${drawn ? `: ${drawn}` : ""}`;
        if (removed) return element("li", { className: "muted" }, `${name}, removed `, button("Bring back", name, () => changeAt("POST", `versions/${number}/restore`)));
        return row(name, verdict, number === shown, about,
          number === shown ? "" : button("Show", name, () => change({ shown: number })), " ",
          button("Remove", name, () => changeAt("DELETE", `versions/${number}`)));
      }));
  };
  place.replaceChildren(list, problem);
  onChange(draw);
  draw(state());
}
