// Own limits without a file: how many must look alike, how many values a group must have, how far it may stand from the whole.
import { complain, element } from "./page.js";
import { change, state } from "./workspace.js";

const LIMITS = [
  ["k_anonymity", "At least so many people look alike (k)", { min: 2, step: 1 }],
  ["l_diversity", "At least so many values of what is secret in a group (l)", { min: 1, step: 1 }],
  ["t_closeness", "A group stands at most so far from the whole table (t)", { min: 0, max: 1, step: "any" }],
];

/** Return what a search or a what-if is judged by: the policy, limits beside it, or limits alone. */
export function judgedBy() {
  const { policy, wished } = state();
  if (!Object.keys(wished.limits).length) return { policy };
  return wished.alone ? { limits: wished.limits } : { policy, limits: wished.limits };
}

/** Return the panel; `changed` is called when what is judged by is another. */
export function limitsPanel(changed) {
  const { wished } = state();
  const inputs = LIMITS.map(([metric, title, bounds]) => {
    const input = element("input", { type: "number", id: `limit-${metric}`, ...bounds, value: wished.limits[metric] ?? "" });
    return [metric, input, element("p", { className: "own-limit" }, element("label", { htmlFor: input.id }, title), " ", input)];
  });
  const alone = element("input", { type: "checkbox", id: "limits-alone", checked: wished.alone });
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const set = async () => {
    // A limit that is passed over without a word would be taken for one that is kept.
    const wrong = inputs.find(([, input]) => !input.checkValidity());
    if (wrong) return complain(new Error(`${wrong[1].validationMessage} Until then the limits are those of before.`), problem);
    const limits = Object.fromEntries(inputs.filter(([, input]) => input.value !== "").map(([metric, input]) => [metric, Number(input.value)]));
    try {
      await change({ wished: { limits, alone: alone.checked } });
      complain(null, problem);
      await changed();
    } catch (error) {
      complain(error, problem);
    }
  };
  for (const input of [...inputs.map(([, one]) => one), alone]) input.addEventListener("change", set);
  return element("details", { id: "limits", open: Object.keys(wished.limits).length > 0 },
    element("summary", {}, "Limits of my own"),
    ...inputs.map(([, , line]) => line), problem,
    element("label", { className: "choice small" }, alone, element("span", {}, "These alone, and not the policy")));
}
