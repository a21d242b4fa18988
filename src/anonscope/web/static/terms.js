// What words mean, where they stand: the first time that a part of a room uses a term of the glossary, the term leads to its meaning.
import { ask, element } from "./page.js";

const SKIPPED = "a, button, summary, label, select, input, textarea, code, pre, h1, svg, script, dialog, .term, .tag, #preview, #record-list";
const known = new Map();
let used = new Map(); // terms that are explained already, by the part of the room
let pattern = null;

/** Return the text nodes below a node in which words may be explained. */
function texts(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, {
    acceptNode: (node) => (node.data.trim() && !node.parentElement.closest(SKIPPED) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT),
  });
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
}

const entryOf = (word) => known.get(word.toLowerCase()) ?? known.get(word.toLowerCase().replace(/s$/, ""));

/** Return the terms that are explained in the part of the room in which a node is; what is folded is a part of its own. */
function usedAt(node) {
  const part = node.closest("section, details") ?? document.body;
  if (!used.has(part)) used.set(part, new Set());
  return used.get(part);
}

/** Keep what a cell says together: where rows are cards, a cell is a grid, and a link would fall apart from the words around it. */
function inOnePiece(cell) {
  if (!cell.matches("td, th")) return;
  const whole = element("span");
  whole.append(...cell.childNodes);
  cell.append(whole);
}

function explain(root) {
  for (const node of texts(root)) {
    let rest = node;
    for (let match = pattern.exec(rest.data); match; match = pattern.exec(rest.data)) {
      const entry = entryOf(match[0]);
      const word = rest.splitText(match.index);
      rest = word.splitText(match[0].length);
      const there = usedAt(word.parentElement);
      if (!entry || there.has(entry.term)) continue;
      there.add(entry.term);
      inOnePiece(word.parentElement);
      const link = element("a", { className: "term", href: `/glossary#${encodeURIComponent(entry.term)}`, title: entry.meaning }, match[0]);
      word.replaceWith(link);
    }
  }
}

/** Explain words in `root`, now and whenever it changes. */
export async function explained(root) {
  const { terms } = await ask("GET", "terms");
  for (const entry of terms) known.set(entry.term.toLowerCase(), entry);
  const escaped = terms.map(({ term }) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).sort((a, b) => b.length - a.length);
  pattern = new RegExp(`(?<![\\w-])(?:${escaped.join("|")})s?(?![\\w-])`, "i");
  let due = null;
  const again = () => { due ??= setTimeout(() => { due = null; watcher.disconnect(); forget(root); explain(root); watch(); }, 60); };
  const watcher = new MutationObserver(again);
  const watch = () => watcher.observe(root, { childList: true, subtree: true });
  explain(root);
  watch();
}

/** Words whose link has gone with a part of the page may be explained again. */
function forget(root) {
  used = new Map();
  for (const link of root.querySelectorAll("a.term")) usedAt(link).add(entryOf(link.textContent)?.term);
}

explained(document.getElementById("main")).catch(() => {}); // without meanings the room is as good
