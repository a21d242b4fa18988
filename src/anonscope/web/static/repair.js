// Repair: the plan, the versions, and sliders for whoever wants it otherwise.
import { by, complain, element } from "./page.js";
import { measure, onChange, state } from "./workspace.js";
import { planPanel } from "./plan.js";
import { askedPanel, showMade, versionList } from "./made.js";
import { explore } from "./explorer.js";
import { ladderPanel } from "./ladders.js";
import { answerPanel, drawPanel } from "./draw.js";

let explorer = null;
let drawings = 0; // how often the room was drawn; what an earlier drawing finds out late is not shown any more

async function draw(now, ended) {
  showMade(by("made"));
  if (!now.table.audited) {
    by("planned").replaceChildren(notYet());
    by("explorer").replaceChildren(notYet());
    return;
  }
  if (drawings && !["audit", "plan"].includes(ended?.kind)) return;
  drawings += 1;
  const drawing = drawings;
  await planPanel(by("planned"), { choose: (levels) => explorer?.set(levels) }).catch((error) => complain(error, sayIn(by("planned"))));
  if (drawing === drawings && !(explorer && ended?.kind === "plan")) explorer = await explore(by("explorer"));
}

function notYet() {
  const go = element("button", { type: "button" }, "Measure it");
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  go.addEventListener("click", () => measure().catch((error) => complain(error, problem)));
  return element("div", {}, element("p", { className: "muted" }, "Nothing is measured yet."), state().roles ? go : "", problem);
}

function sayIn(place) {
  const problem = element("p", { className: "problem", role: "alert" });
  place.append(problem);
  return problem;
}

onChange((now, ended) => { draw(now, ended).catch(() => {}); });
askedPanel(by("asked"));
versionList(by("versions"));
drawPanel(by("drawn")).catch((error) => complain(error, sayIn(by("drawn"))));
answerPanel(by("answers"));
ladderPanel(by("ladder"), async () => {
  explorer = await explore(by("explorer"));
  return explorer?.answered;
});
draw(state()).catch(() => {});
