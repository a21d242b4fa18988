// Long work: a bar that says how far it is, and a button that stops it.
import { ask, element, Refused } from "./page.js";

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
  place.replaceChildren(bar, said, stop);
  place.hidden = false;
  try {
    const last = await watched(job, (state) => {
      if (state.of) bar.value = Math.min(1, state.done / state.of);
      else bar.removeAttribute("value");
      const text = state.label ? `${state.label[0].toUpperCase()}${state.label.slice(1)} …` : "Working …";
      if (said.textContent !== text) said.textContent = text; // a screen reader repeats what changes, so only what does
    });
    if (last.state === "failed") throw new Refused(last.error ?? "The work failed.", 500);
    if (last.state === "cancelled") throw new Refused("Cancelled. Nothing was changed.", 499);
    return last;
  } finally {
    place.replaceChildren();
    place.hidden = true;
  }
}

/** Return the job's last state; `seen` gets every one before. */
function watched(job, seen) {
  if (OVER.includes(job.state)) return Promise.resolve(job);
  return new Promise((resolve, reject) => {
    const events = new EventSource(`/api/v1/jobs/${job.id}/events`);
    const take = (event) => {
      const state = JSON.parse(event.data);
      if (!OVER.includes(state.state)) return seen(state);
      events.close();
      resolve(state);
    };
    events.addEventListener("job", take);
    events.addEventListener("error", () => {
      events.close();
      polled(job, seen).then(resolve, reject);
    });
  });
}

async function polled(job, seen) {
  for (;;) {
    const state = await ask("GET", `jobs/${job.id}`);
    if (OVER.includes(state.state)) return state;
    seen(state);
    await new Promise((wake) => setTimeout(wake, 300));
  }
}
