// Risk against loss: the releases of the plan and the versions by their marks, every setting that was tried, the one that is set now, and the
// best for each class size once it is known. Upwards in powers of ten: releases lie far below the table, and near each other.
import { drawn, number, percent } from "./page.js";

const WIDTH = 420, HEIGHT = 282, LEFT = 46, RIGHT = 396, TOP = 30, BOTTOM = 226;
const MARK = 18; // pixels that a mark takes; what lies nearer than that shares one
const x = (loss) => LEFT + loss * (RIGHT - LEFT);

/** Return the chart. `tried` and `best` are lists of {loss, risk}; `named` of {mark, title, loss, risk}; `now` is one; `limit` is the highest risk that the policy lets pass, `tone` the colour of the verdict. */
export function frontier({ tried, now, best, named, limit, tone }) {
  const lowest = Math.min(limit || 1, ...[now, ...tried, ...best, ...named].map(({ risk }) => risk).filter((risk) => risk > 0));
  const decades = Math.max(1, Math.ceil(-Math.log10(lowest) - 1e-9));
  const y = (risk) => (risk > 0 ? TOP + (Math.min(-Math.log10(risk), decades) / decades) * (BOTTOM - TOP) : BOTTOM);
  const places = named.map((one) => `${one.title}: highest risk ${percent(one.risk)}, ${percent(one.loss)} of the detail lost.`);
  const said = `Now the highest risk is ${percent(now.risk)} at ${percent(now.loss)} of the detail lost; ${number(tried.length)} settings tried. ${places.join(" ")}`;
  const chart = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said });
  for (let power = 0; power <= decades; power += 1) {
    const at = y(10 ** -power);
    chart.append(
      drawn("line", { class: "grid", x1: LEFT, x2: RIGHT, y1: at, y2: at }),
      drawn("text", { class: "tick", x: LEFT - 8, y: at + 4, "text-anchor": "end" }, power ? `1/${power < 3 ? 10 ** power : `${number(10 ** (power - 3))}k`}` : "1"));
  }
  for (const part of [0, 0.25, 0.5, 0.75, 1]) chart.append(drawn("text", { class: "tick", x: x(part), y: BOTTOM + 24, "text-anchor": "middle" }, percent(part, 0)));
  chart.append(
    drawn("line", { class: "axis", x1: LEFT, x2: RIGHT, y1: BOTTOM, y2: BOTTOM }),
    drawn("text", { class: "tick", x: (LEFT + RIGHT) / 2, y: HEIGHT - 10, "text-anchor": "middle" }, "detail lost"),
    drawn("text", { class: "tick", x: 0, y: 12 }, "highest risk (1 / smallest group)"));
  if (limit) chart.append(drawn("line", { class: "limit", x1: LEFT, x2: RIGHT, y1: y(limit), y2: y(limit) }));
  const point = (p, kind, r) => drawn("circle", { class: `dot ${kind}`, cx: x(p.loss), cy: y(p.risk), r });
  if (best.length) {
    const inOrder = [...best].sort((a, b) => a.loss - b.loss);
    chart.append(drawn("polyline", { class: "edge", points: inOrder.map((p) => `${x(p.loss)},${y(p.risk)}`).join(" ") }));
    chart.append(...inOrder.map((p) => point(p, "edge", 4)));
  }
  chart.append(...tried.map((p) => point(p, "", 3)));
  for (const group of gathered(named, y)) {
    const marks = group.members.map(({ mark }) => mark).join("+");
    const half = Math.max(MARK / 2, 4 + 3.6 * marks.length);
    const at = Math.min(Math.max(group.x, LEFT + half - MARK / 2), WIDTH - half - 2);
    chart.append(
      drawn("rect", { class: "letter", x: at - half, y: group.y - MARK / 2, width: 2 * half, height: MARK, rx: MARK / 2 }),
      drawn("text", { class: "lettered", x: at, y: group.y + 4, "text-anchor": "middle" }, marks));
  }
  const [cx, cy] = [x(now.loss), y(now.risk)];
  chart.append(drawn("rect", { class: `dot is-${tone}`, x: cx - 6, y: cy - 6, width: 12, height: 12, transform: `rotate(45 ${cx} ${cy})` }));
  return chart;
}

/** Return marks that would lie on each other as one. */
function gathered(named, y) {
  const groups = [];
  for (const one of [...named].sort((a, b) => a.loss - b.loss)) {
    const at = { x: x(one.loss), y: y(one.risk) };
    const near = groups.find((group) => Math.abs(group.x - at.x) < MARK * (1 + group.members.length / 2) && Math.abs(group.y - at.y) < MARK);
    if (near) near.members.push(one);
    else groups.push({ ...at, members: [one] });
  }
  return groups;
}
