// What an attacker finds out: the release that is shown, attacked with the people of its original and, as a control, with others.
import { adopted, complain, element } from "./page.js";
import { formOf, sent } from "./upload.js";
import { change, onChange, onResult, run, state, table } from "./workspace.js";

/** Put the panel into `place`. */
export function attackPanel(place) {
  const progress = element("div", { className: "progress", hidden: true });
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const named = element("span", { className: "small muted" });
  const outcome = element("div", { className: "nested", id: "attacked" });
  const input = element("input", { type: "file", id: "control", className: "hidden", multiple: true });
  const go = element("button", { type: "button", id: "run-attack" }, "Attack the version that is shown");
  const hint = element("p", { className: "small muted" });
  input.addEventListener("change", async () => {
    const [file, form] = formOf(input.files);
    if (!file) return;
    complain(null, problem);
    try {
      await change({ control: (await sent(form, file.name, progress)).id });
    } catch (error) {
      complain(error, problem);
    } finally {
      input.value = "";
    }
  });
  go.addEventListener("click", async () => {
    complain(null, problem);
    go.disabled = true;
    try {
      const { shown, control } = state();
      await run("attack", { original: table, version: shown, ...(control ? { control: control.id } : {}) }, "");
    } catch (error) {
      complain(error, problem);
    } finally {
      draw(state());
    }
  });
  async function show(result) {
    if (result === null) return outcome.replaceChildren();
    const page = await fetch(result.location.replace(/json$/, "html"));
    if (!page.ok) throw new Error("The result cannot be shown.");
    const found = adopted(await page.text());
    for (const heading of found.flatMap((part) => [...part.querySelectorAll("h1, h2")])) heading.replaceWith(element("h3", {}, heading.textContent));
    const before = state().measured ? "" : " This is from before columns or policy were changed.";
    outcome.replaceChildren(element("p", { className: "small muted" }, `${result.version}.${before}`), ...found);
  }
  function draw({ shown, control }) {
    named.textContent = control ? `Control: ${control.name}` : "";
    go.disabled = shown === null;
    hint.textContent = shown === null ? "There is no release to attack: make one, or choose a version above." : "";
  }
  place.replaceChildren(
    element("p", { className: "buttons" }, input, element("label", { htmlFor: "control", className: "button quiet" }, "Add a control table"), go, named),
    hint, progress, problem, outcome);
  onChange(draw);
  draw(state());
  onResult("attack", (result) => show(result).catch((error) => complain(error, problem)));
}
