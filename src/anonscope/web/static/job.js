// Long work: a bar that says how far it is, and a button that stops it.
import { ask, element, Refused } from "./page.js";

const SELDOM = 5000, OFTEN = 300; // milliseconds between two looks, beside events and without them
const OVER = ["done", "failed", "cancelled"];

/** Show a job in `place` until it is over; return it, or throw what stopped it. */
export async function follow(job, place) {
  const bar = element("progress", { max: 1 });
  bar.setAttribute("aria-label", "progress");
  const said = element("p", { className: "small", role: "status" }, "Waiting for a free worker.");
  const stop = element("button", { type: "button", className: "quiet" }, "Cancel");
  stop.addEventListener("click", () => {
    stop.disabled = true;
    ask("POST", `jobs/${job.id}/cancel`).catch(() => {});
  });
  // How long it takes is for the eye: nobody wants to hear the seconds.
  let begun = null, expected = null;
  const clock = element("span", { className: "small muted", ariaHidden: "true" });
  const ticking = setInterval(() => {
    if (begun === null) return;
    clock.textContent = `${Math.round((performance.now() - begun) / 1000)} s${expected ? ` of about ${Math.max(1, Math.round(expected))}` : ""}`;
  }, 500);
  place.replaceChildren(bar, said, clock, stop);
  place.hidden = false;
  try {
    const last = await watched(job, (state) => {
      if (state.of) bar.value = Math.min(1, state.done / state.of);
      else bar.removeAttribute("value");
      const text = state.state === "queued" ? "Waiting for its turn." : `${state.label ? `${state.label[0].toUpperCase()}${state.label.slice(1)}` : "Working"} …`;
      if (said.textContent !== text) said.textContent = text; // a screen reader repeats what changes, so only what does
      begun ??= performance.now() - 1000 * state.seconds;
      expected = state.expected;
    });
    if (last.state === "failed") throw new Refused(last.error ?? "The work failed.", 500);
    if (last.state === "cancelled") throw new Refused("Cancelled. Nothing was changed.", 499);
    return last;
  } finally {
    clearInterval(ticking);
    place.replaceChildren();
    place.hidden = true;
  }
}

/** Return the job's last state; `seen` gets every one before. */
async function watched(job, seen) {
  if (OVER.includes(job.state)) return job;
  const events = new EventSource(`/api/v1/jobs/${job.id}/events`);
  let over = false;
  try {
    return await new Promise((resolve, reject) => {
      const take = (state) => (OVER.includes(state.state) ? resolve(state) : seen(state));
      events.addEventListener("job", (event) => take(JSON.parse(event.data)));
      const broken = new Promise((wake) => { events.addEventListener("error", () => { events.close(); wake(); }); });
      // Events may come late or never, where something between here and the server keeps them back: so it is asked as well.
      const asking = async () => {
        for (let pause = SELDOM; ; pause = events.readyState === EventSource.CLOSED ? OFTEN : SELDOM) {
          await Promise.race([new Promise((wake) => { setTimeout(wake, pause); }), ...(pause === SELDOM ? [broken] : [])]);
          if (over) return;
          take(await ask("GET", `jobs/${job.id}`));
        }
      };
      asking().catch(reject);
    });
  } finally {
    over = true;
    events.close();
  }
}
