/** The plan of another drawing that is under way: the server makes one at a time, so that it may have to be stopped here. */

import { el } from "../dom.js";
import { subscribe } from "../store.js";
import { planElsewhere } from "./ownplan.js";
import { setText } from "./parts.js";
import { planning, stop, whenPlanning } from "./planning.js";

/** The line about it with a button that stops it. */
export function elsewherePart() {
  const line = el("p", { role: "status" });
  const button = el("button", { type: "button", id: "plan-elsewhere-stop", onclick: stop }, "Stop it and keep its best");
  const part = el("div", { id: "plan-elsewhere" }, line, button);
  const show = () => {
    const plan = planElsewhere();
    part.hidden = !plan;
    setText(line, plan ? `A plan of another drawing, ${plan.name}, is under way.` : "");
    button.disabled = planning.stopping || plan?.phase === "writing";
  };
  subscribe(["plan"], show);
  whenPlanning(show);
  return part;
}
