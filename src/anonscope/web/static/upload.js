// Sending a file, with a bar that shows how much has arrived.
import { element, number, Refused } from "./page.js";

/** Send a form to the list of tables, or elsewhere; return the table that the server made of it. */
export function sent(form, name, place, to = "tables") {
  const bar = element("progress", { max: 1, value: 0 });
  bar.setAttribute("aria-label", "upload");
  const said = element("p", { className: "small", role: "status" }, `Sending ${name} …`);
  const stop = element("button", { type: "button", className: "quiet" }, "Cancel");
  place.replaceChildren(bar, said, stop);
  place.hidden = false;
  const request = new XMLHttpRequest(); // fetch() cannot say how much has been sent
  stop.addEventListener("click", () => request.abort());
  const done = () => {
    place.replaceChildren();
    place.hidden = true;
  };
  return new Promise((resolve, reject) => {
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      bar.value = event.loaded / event.total;
      if (event.loaded === event.total) said.textContent = `Reading ${number(event.total / 1e6, 2)} MB …`;
    });
    request.addEventListener("load", () => {
      done();
      if (request.status < 300) return resolve(request.response);
      reject(new Refused(request.response?.error ?? `The server refused (${request.status}).`, request.status));
    });
    request.addEventListener("abort", () => { done(); reject(new Refused("Cancelled. Nothing was kept.", 499)); });
    request.addEventListener("error", () => {
      done();
      reject(new Refused("The upload was broken off. The file may be larger than the server takes, or the server has stopped.", 0));
    });
    request.open("POST", `/api/v1/${to}`);
    request.responseType = "json";
    request.send(form);
  });
}

/** Return the table among files that somebody chose, and the form that sends it; of a release with its manifest beside it. */
export function formOf(files) {
  const isManifest = (file) => file.name.endsWith(".manifest.json");
  const file = [...files].find((one) => !isManifest(one));
  if (!file) return [null, null];
  const form = new FormData();
  const manifest = [...files].find((one) => one.name === `${file.name}.manifest.json`) ?? [...files].find(isManifest);
  if (manifest) form.append("manifest", manifest, manifest.name);
  form.append("file", file, file.name);
  return [file, form];
}
