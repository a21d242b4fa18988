// Risk against loss: every setting that was tried, the one that is set now, and the best for each class size once it is known.
import { drawn, number } from "./page.js";

const WIDTH = 420, HEIGHT = 260, LEFT = 50, RIGHT = 410, TOP = 12, BOTTOM = 210;
const x = (loss) => LEFT + loss * (RIGHT - LEFT);
const y = (risk) => BOTTOM - risk * (BOTTOM - TOP);

/** Return the chart. `tried` and `best` are lists of {loss, risk}; `now` is one; `limit` is the highest risk that the policy lets pass, `tone` the colour of the verdict. */
export function frontier(tried, now, best, limit, tone) {
  const said = `Highest risk ${number(now.risk)} at a loss of ${number(now.loss)}; ${tried.length} settings tried.`;
  const chart = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said });
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    chart.append(
      drawn("line", { class: "grid", x1: LEFT, x2: RIGHT, y1: y(part), y2: y(part) }),
      drawn("text", { class: "tick", x: LEFT - 6, y: y(part) + 4, "text-anchor": "end" }, number(part)),
      drawn("text", { class: "tick", x: x(part), y: BOTTOM + 18, "text-anchor": "middle" }, number(part)));
  }
  chart.append(
    drawn("line", { class: "axis", x1: LEFT, x2: RIGHT, y1: BOTTOM, y2: BOTTOM }),
    drawn("text", { class: "tick", x: (LEFT + RIGHT) / 2, y: HEIGHT - 10, "text-anchor": "middle" }, "detail lost"),
    drawn("text", { class: "tick", transform: `translate(12 ${(TOP + BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, "highest risk"));
  if (limit) chart.append(drawn("line", { class: "limit", x1: LEFT, x2: RIGHT, y1: y(limit), y2: y(limit) }));
  if (best.length) {
    const inOrder = [...best].sort((a, b) => a.loss - b.loss);
    chart.append(drawn("polyline", { class: "edge", points: inOrder.map((p) => `${x(p.loss)},${y(p.risk)}`).join(" ") }));
    chart.append(...inOrder.map((p) => drawn("circle", { class: "dot edge", cx: x(p.loss), cy: y(p.risk), r: 4 })));
  }
  chart.append(...tried.map((p) => drawn("circle", { class: "dot", cx: x(p.loss), cy: y(p.risk), r: 3 })));
  const [cx, cy] = [x(now.loss), y(now.risk)];
  chart.append(drawn("rect", { class: `dot is-${tone}`, x: cx - 6, y: cy - 6, width: 12, height: 12, transform: `rotate(45 ${cx} ${cy})` }));
  return chart;
}
