// The first page: a file, or the sample, becomes a table.
import { ask, by, complain, counted, element } from "./page.js";
import { formOf, sent } from "./upload.js";

async function open(form, name) {
  complain(null);
  by("drop").classList.add("busy");
  try {
    const table = await sent(form, name, by("progress"));
    location.assign(`/w/${table.id}/data`);
  } catch (error) {
    complain(error);
    by("file").value = "";
    by("drop").classList.remove("busy");
    if (error.message.includes("--no-header") && !form.has("header")) offerHeader(form, name);
  }
}

/** Ask what the first line of a file is that looks like a record, and send it again with the answer. */
function offerHeader(form, name) {
  const answers = [["It has no header", "false"], ["Its first line names the columns", "true"]];
  by("progress").replaceChildren(element("p", { className: "buttons" }, answers.map(([words, header]) => {
    const button = element("button", { type: "button", className: "quiet" }, words);
    button.addEventListener("click", () => {
      form.append("header", header);
      open(form, name);
    });
    return button;
  })));
  by("progress").hidden = false;
}

by("file").addEventListener("change", (event) => {
  const [file, form] = formOf(event.target.files);
  if (file) open(form, file.name);
});

by("sample").addEventListener("click", () => {
  const form = new FormData();
  form.append("sample", "hospital");
  open(form, "the sample");
});

// A file may be dropped anywhere; elsewhere the browser would leave the page and open it.
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    by("drop").classList.toggle("over", kind === "dragenter" || kind === "dragover");
  });
}
document.addEventListener("drop", (event) => {
  const [file, form] = formOf(event.dataTransfer.files);
  if (file) open(form, file.name);
});

// Coming back with the browser's arrow finds the page as it was left.
window.addEventListener("pageshow", () => by("drop").classList.remove("busy"));

async function listed() {
  const { tables } = await ask("GET", "tables");
  by("tables").hidden = tables.length === 0;
  by("list").replaceChildren(...tables.map((table) => {
    const forget = element("button", { type: "button", className: "quiet small" }, "Forget");
    forget.setAttribute("aria-label", `Forget ${table.name}`);
    forget.addEventListener("click", () => ask("DELETE", `tables/${table.id}`).then(listed, complain));
    return element("li", {},
      element("a", { href: `/w/${table.id}` }, table.name), " ",
      element("span", { className: "muted small" }, counted(table.columns.length, "column", "columns")), " ", forget);
  }));
}

/** Show the tables of a project that wait for their file; another file than before is used only by a second, deliberate click. */
async function waiting() {
  const project = await ask("GET", "project");
  const tables = project.tables.filter(({ state }) => state === "waiting");
  by("project").hidden = !project.name;
  by("project-name").textContent = project.name ? `Project ${project.name}` : "";
  by("project-problem").hidden = !project.problem;
  by("project-problem").textContent = project.problem ?? "";
  by("waiting").replaceChildren(...tables.map((table) => {
    const input = element("input", { type: "file", id: `file-${table.id}`, className: "hidden" });
    const reason = element("p", { className: "small", role: "status" }, table.reason);
    const place = element("div", { className: "progress", hidden: true });
    const anyway = element("button", { type: "button", className: "quiet small", hidden: true }, "It is another file: use it");
    const give = async (changed) => {
      const form = new FormData();
      form.append("file", input.files[0], input.files[0].name);
      if (changed) form.append("changed", "true");
      anyway.hidden = true;
      try {
        await sent(form, table.name, place, `project/tables/${table.id}/file`);
        location.assign(`/w/${table.id}`);
      } catch (error) {
        reason.textContent = error.message;
        anyway.hidden = error.status !== 409;
      }
    };
    input.addEventListener("change", () => { if (input.files.length) give(false); });
    anyway.addEventListener("click", () => give(true));
    const forget = element("button", { type: "button", className: "quiet small" }, "Forget");
    forget.setAttribute("aria-label", `Forget ${table.name}`);
    forget.addEventListener("click", () => ask("DELETE", `project/tables/${table.id}`).then(waiting, complain));
    return element("li", {}, element("b", {}, table.name), reason, place,
      element("p", { className: "buttons" }, input, element("label", { htmlFor: input.id, className: "button quiet small" }, "Give the file"), anyway, forget));
  }));
}
waiting().catch(() => {});

/** Show the folders of the server below which tables may be opened; each is looked into when somebody opens it. */
async function places() {
  const { roots } = await ask("GET", "sources");
  by("sources").hidden = roots.length === 0;
  by("places").replaceChildren(...roots.map((name, root) => place(name, root, "")));
}

function place(name, root, path) {
  const list = element("ul", { className: "plain" });
  const folder = element("details", {}, element("summary", {}, name), list);
  const openButton = (words, label, source) => {
    const button = element("button", { type: "button", className: "quiet small" }, words);
    button.setAttribute("aria-label", label);
    button.addEventListener("click", async () => {
      complain(null);
      button.disabled = true;
      try {
        location.assign(`/w/${(await ask("POST", "sources", { root, path: source })).id}/data`);
      } catch (error) {
        complain(error);
        button.disabled = false;
      }
    });
    return button;
  };
  folder.addEventListener("toggle", async () => {
    if (!folder.open || list.children.length) return;
    try {
      const { entries } = await ask("GET", `sources/${root}?path=${encodeURIComponent(path)}`);
      const whole = path ? [element("li", {}, openButton("Open all parts as one table", `Open ${name} as one table`, path))] : [];
      list.replaceChildren(...whole, ...entries.map((entry) => {
        const below = path ? `${path}/${entry.name}` : entry.name;
        return element("li", {}, entry.kind === "folder" ? place(entry.name, root, below) : [entry.name, " ", openButton("Open", `Open ${entry.name}`, below)]);
      }));
    } catch (error) {
      complain(error);
    }
  });
  return folder;
}
for (const id of ["file", "sample"]) by(id).disabled = false; // what is clicked before a script listens would be lost
places().catch(() => {});
listed().catch(() => {}); // a list that cannot be had is no reason to keep somebody from a new table
