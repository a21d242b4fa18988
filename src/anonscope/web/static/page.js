// Building pages and talking to the server. Text always goes in as text, so nothing from a table becomes markup.

/** Return an element with properties and children; strings become text. */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  fill(node, properties, children);
  return node;
}

/** Return an SVG element with attributes and children. */
export function drawn(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name in node && name !== "list" && name !== "form") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
}

/** Return the element with this id. */
export const by = (id) => document.getElementById(id);

/** Return the id of the table that this page is about. */
export const tableOf = () => by("table").dataset.id;

/** Return a number as people read it. */
export function number(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  const shown = Math.abs(value) < 1e-6 ? 0 : value; // what is smaller is only the rounding of sums
  return Number(shown).toLocaleString("en", { maximumSignificantDigits: Number.isInteger(shown) ? 21 : digits });
}

/** Return a share from 0 to 1 as reports write it (io/figures.py): a few are never none, and most never all. */
export function percent(share, digits = 1) {
  if (share === null || share === undefined) return "–";
  const least = 10 ** -(digits + 2);
  const shown = share < 1e-9 ? 0 : share > 1 - 1e-9 ? Math.max(share, 1) : share; // what is nearer is only the rounding of sums
  if (shown > 0 && shown < least) return `under ${number(100 * least)} %`;
  if (shown < 1 && shown >= 1 - least / 2) return `over ${(100 * (1 - least)).toFixed(digits)} %`;
  return shown > 0 && shown < 1 ? `${(100 * shown).toFixed(digits)} %` : `${Math.round(100 * shown)} %`;
}

/** Return one of the words and its number. */
export const counted = (n, one, several) => `${number(n)} ${n === 1 ? one : several}`;

/** Return a sentence without what is to be typed in a terminal, which stands in brackets; what Python writes into pages has none already. */
export const withoutOptions = (text) => text.replace(/\s*\((?:anonscope [a-z]|--[a-z]|-[a-z](?=[ ,)]))[^()]*(?:\([^()]*\)[^()]*)*\)/g, "");

/** What the server said instead of an answer. */
export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Ask the server; the answer is JSON. `body` is sent as JSON, or as it is if it is a form. */
export async function ask(method, path, body) {
  const options = { method, headers: { Accept: "application/json" }, credentials: "same-origin" };
  if (method === "PATCH") options.keepalive = true; // what was said counts, also if the page is left at once
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(`/api/v1/${path}`, options);
  } catch {
    throw new Refused("The server does not answer. Is it still running?", 0);
  }
  const answer = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) throw new Refused(answer?.error ?? `The server refused (${response.status}).`, response.status);
  return answer;
}

/** Show what went wrong where people look, or clear it. */
export function complain(error, place = by("problem")) {
  place.hidden = !error;
  place.replaceChildren(...(error ? [error.message, ...(error.more ? [" ", error.more] : [])] : []));
}

/** A table with a header, whose first cell of a row names the row; numbers stand to the right. */
export function grid(header, rows, numeric = []) {
  const side = (i) => (numeric.includes(i) ? "n" : "");
  return element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: header[0] },
    element("table", {},
      element("thead", {}, element("tr", {}, header.map((title, i) => element("th", { scope: "col", className: side(i) }, title)))),
      element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell, i) =>
        i === 0 ? element("th", { scope: "row" }, cell) : element("td", { className: side(i) }, cell)))))));
}

/** Return which table a report is about, and which policy judged it: what stands in the head of its page. */
export const aboutOf = (html) => parsed(html).querySelector("header span")?.textContent ?? "";

function parsed(html) {
  // The policy of this page forbids style in markup; the same declarations may be set one by one. Quotes in what a table brings
  // along are escaped, so this finds the report's own attributes only.
  const plain = html.replace(/<style>[^]*?<\/style>/, "").replaceAll(' style="', ' data-style="');
  const page = new DOMParser().parseFromString(plain, "text/html");
  for (const node of page.querySelectorAll("script, link, meta, base, iframe, object")) node.remove();
  return page;
}

/** Return the parts of a report's page, ready to be put into this one. */
export function adopted(html) {
  const page = parsed(html);
  // However a report groups its sections for paper; what is only for paper stays out.
  const whole = (part) => !part.parentElement.closest("section") && !part.closest(".on-paper");
  const parts = [...page.querySelectorAll("main section")].filter(whole).map((part) => document.adoptNode(part));
  for (const node of parts.flatMap((part) => [...part.querySelectorAll("[data-style]")])) {
    for (const declaration of node.dataset.style.split(";")) {
      const at = declaration.indexOf(":");
      if (at > 0) node.style.setProperty(declaration.slice(0, at).trim(), declaration.slice(at + 1).trim());
    }
    delete node.dataset.style;
  }
  for (const box of parts.flatMap((part) => [...part.querySelectorAll(".scroll")])) {
    box.tabIndex = 0; // what scrolls must be reachable by keyboard
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", box.closest("section")?.querySelector("h1, h2")?.textContent ?? "table");
  }
  return parts;
}
