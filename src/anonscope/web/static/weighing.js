// What each version keeps, in three bars, and which of them is best if utility counts more, or less.
import { ask, element, number, percent } from "./page.js";

const TITLES = { values: "Values kept", distributions: "Distributions kept", relations: "Relations kept" };

/** Return the part above a comparison: what is kept, folded in three, and the slider for the weight of utility. */
export async function weighed(location) {
  const response = await fetch(location);
  const { versions } = await response.json();
  const releases = versions.slice(1);
  const cards = releases.map(({ version, outcome, kept }) => element("div", { className: "card" },
    element("h4", {}, version), element("p", { className: "small muted" }, outcome),
    Object.entries(TITLES).map(([name, title]) => {
      const { share, reason } = kept[name];
      const bar = element("span", { className: "share-bar" });
      bar.style.setProperty("--share", share ?? 0);
      return element("p", { className: "fold" }, element("span", {}, title), share === null ? "" : bar,
        element("b", {}, share === null ? reason : percent(share)));
    })));
  const slider = element("input", { type: "range", id: "alpha", min: 0, max: 100, value: 50, step: 5 });
  const said = element("output", { htmlFor: "alpha", id: "alpha-said" });
  const best = element("p", { id: "best-version", ariaLive: "polite" });
  const ranked = element("ol", { id: "ranked" });
  let asked = 0;
  async function weigh() {
    const mine = ++asked;
    const alpha = Number(slider.value) / 100;
    said.textContent = `utility ${number(alpha)}, safety ${number(1 - alpha)}`;
    const found = await ask("GET", `${location.replace("/api/v1/", "").replace(/\.json$/, "")}/balance?alpha=${alpha}`);
    if (mine !== asked) return;
    best.replaceChildren(...(found.best ? [element("b", {}, found.best), " balances utility and safety best, of those that meet the policy."]
      : ["None is recommended: none meets the policy, or what they keep could not be weighed."]));
    const known = found.versions.slice(1).sort((a, b) => (b.balance ?? -1) - (a.balance ?? -1));
    ranked.replaceChildren(...known.map(({ version, balance, met }) => element("li", {},
      `${version}: ${balance === null ? "not weighed" : number(balance)}${met ? "" : ", policy not met"}`)));
  }
  slider.addEventListener("input", () => weigh().catch(() => {}));
  // A comparison that a project kept is a report, and cannot be weighed anew; what it says stands below all the same.
  await weigh().catch((error) => {
    best.textContent = error.message;
    slider.disabled = true;
  });
  return element("div", { id: "weighed" }, element("div", { className: "cards-in-row" }, cards),
    element("h4", {}, "How much does utility count?"),
    element("p", { className: "weight" }, element("label", { htmlFor: "alpha" }, "Weight of utility"), slider, said), best, ranked);
}
