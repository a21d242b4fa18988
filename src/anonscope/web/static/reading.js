// How the file was read: what was found, corrections with an immediate re-read, and a look at the first rows.
import { ask, complain, counted, element, grid } from "./page.js";
import { table } from "./workspace.js";

const DELIMITERS = [["", "as found"], [",", "comma"], [";", "semicolon"], ["\t", "tab"], ["|", "bar"]];
const ENCODINGS = ["", "utf-8", "windows-1252", "iso-8859-15", "utf-16"];

/** Put what was found into `place`, and the first rows into `rows`. */
export async function readingPanel(place, rows) {
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  try {
    draw(await ask("GET", `tables/${table}/reading`));
    await look(false);
  } catch (error) {
    place.replaceChildren(problem);
    complain(error, problem);
  }

  function draw(found) {
    const choose = (id, title, options, chosen) => {
      const select = element("select", { id }, options.map(([value, words]) => element("option", { value, selected: value === (chosen ?? "") }, words)));
      return [select, element("label", { className: "chosen", htmlFor: id }, element("span", { className: "small muted" }, title), select)];
    };
    const [delimiter, delimiterLine] = choose("delimiter", "Delimiter", DELIMITERS, found.said.delimiter);
    const [encoding, encodingLine] = choose("encoding", "Encoding", ENCODINGS.map((name) => [name, name || "as found"]), found.said.encoding);
    const sheet = element("input", { type: "text", id: "sheet", value: found.said.sheet ?? "", maxLength: 200 });
    const again = element("button", { type: "button", className: "quiet", id: "read-again" }, "Read it again");
    again.addEventListener("click", async () => {
      complain(null, problem);
      again.disabled = true;
      const said = Object.fromEntries([["delimiter", delimiter.value], ["encoding", encoding.value], ["sheet", sheet.value.trim()]].filter(([, value]) => value));
      try {
        await ask("PUT", `tables/${table}/reading`, said);
        location.reload(); // everything in the room is about another table now
      } catch (error) {
        complain(error, problem);
        again.disabled = false;
      }
    });
    const facts = [["Format", found.format], ...(found.delimiter ? [["Delimiter", DELIMITERS.find(([value]) => value === found.delimiter)?.[1] ?? found.delimiter]] : []),
      ...(found.encoding ? [["Encoding", found.encoding]] : []), ["Columns", counted(found.columns.length, "column", "columns")], ["Rows", counted(found.records, "row", "rows")]];
    const text = found.delimiter !== null;
    place.replaceChildren(
      element("dl", { className: "facts" }, facts.map(([title, value]) => element("div", {}, element("dt", {}, title), element("dd", {}, value)))),
      ...found.notes.map((note) => element("p", { className: "small" }, note)),
      element("details", {}, element("summary", {}, "It was read wrongly"),
        element("p", { className: "buttons" }, text ? [delimiterLine, encodingLine] : element("label", { className: "chosen", htmlFor: "sheet" }, element("span", { className: "small muted" }, "Sheet"), sheet), again)),
      problem);
  }

  async function look(values) {
    const found = await ask("POST", `tables/${table}/preview`, { rows: 6, values, confirm: values });
    const flip = element("input", { type: "checkbox", checked: values, id: "show-values" });
    flip.setAttribute("role", "switch");
    flip.addEventListener("change", () => look(flip.checked).catch((error) => complain(error, problem)));
    rows.replaceChildren(
      element("label", { className: "choice small" }, flip, element("span", {}, "Show the values of the first rows on this screen. Look around you first.")),
      grid(["row", ...found.columns], found.rows.map((row, i) => [String(i + 1), ...row.map((cell) => (cell === null ? "–" : String(cell)))])));
    if (values) rows.querySelector("input").focus();
  }
}
