// The strip above the columns: what the roles mean for the people in the table, counted anew at every change.
import { ask } from "./page.js";
import { state, table } from "./workspace.js";

let waiting = null;
let asking = false;
let last = "";

/** Say in `place` what these roles mean; while one question is under way only the newest waits. */
export async function strip(place) {
  const roles = JSON.stringify(state().roles);
  if (roles === last) return;
  last = roles;
  waiting = roles;
  if (asking) return;
  asking = true;
  try {
    while (waiting) {
      waiting = null;
      const found = await ask("GET", `tables/${table}/alone`);
      place.textContent = found.words;
      place.dataset.milliseconds = found.milliseconds;
    }
  } catch (error) {
    place.textContent = error.message;
  } finally {
    asking = false;
  }
}
