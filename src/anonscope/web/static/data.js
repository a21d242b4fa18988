// Data: what a row is, how the file was read, the tables beside it, and notes.
import { ask, by, complain, element } from "./page.js";
import { change, onChange, roomAddress, run, state, table, underWay } from "./workspace.js";
import { readingPanel } from "./reading.js";
import { besidePanel } from "./beside.js";

/** Say what a row is, and go on to the columns. */
async function answer(row, person) {
  complain(null);
  try {
    if (!state().roles) await suggesting;
    await change({ row, ...(person ? { person } : {}) });
    location.assign(roomAddress("columns"));
  } catch (error) {
    complain(error);
  }
}

/** Show which answer the columns speak for. */
function hint() {
  const person = state().roles?.person ?? null;
  const event = state().row === "event" || (state().row === null && person !== null);
  by("row-person").classList.toggle("quiet", event);
  by("row-event").classList.toggle("quiet", !event);
  by("row-hint").textContent = !state().roles ? "Looking at the columns." : person ? `${person} looks like the id of a person who may have several rows.` : "No column looks like the id of a person with several rows.";
  if (person && by("person").value !== person) by("person").value = person;
}

by("row-person").addEventListener("click", () => answer("person"));
by("row-event").addEventListener("click", () => {
  const found = state().roles?.person;
  if (found) return answer("event", found);
  by("whose").hidden = false;
  by("person").focus();
});
by("person").append(element("option", { value: "" }, "choose a column"), ...state().table.columns.map(({ name }) => element("option", { value: name }, name)));
by("person").addEventListener("change", () => { if (by("person").value) answer("event", by("person").value); });

let saving = null;
function save() {
  if (saving === null) return;
  clearTimeout(saving);
  saving = null;
  change({ notes: by("notes").value }).catch(complain);
}
by("notes").addEventListener("input", () => {
  clearTimeout(saving);
  saving = setTimeout(save, 400);
});
window.addEventListener("pagehide", save); // whoever leaves at once has written it all the same

by("forget").addEventListener("click", () => {
  const sure = element("button", { type: "button", className: "danger" }, "Yes, delete it");
  sure.addEventListener("click", () => ask("DELETE", `tables/${table}`).then(() => location.assign("/"), complain));
  by("forget").replaceWith(sure);
  sure.focus();
});

onChange((now) => {
  hint();
  if (document.activeElement !== by("notes")) by("notes").value = now.notes;
});
readingPanel(by("read"), by("preview"));
besidePanel(by("beside"));
hint();
for (const id of ["row-person", "row-event", "forget"]) by(id).disabled = false;
// Nobody has to wait for it: whoever answers at once is served when it is done.
const suggesting = state().table.suggested ? Promise.resolve() : underWay("suggest").then((ended) => ended.length || run("suggest", {}));
suggesting.catch(complain);
