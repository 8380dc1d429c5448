/** The panel Look: the growth of a design, with one or more propagators, beside that of another design. */

import { byId, el } from "../dom.js";
import { set, state, subscribe } from "../store.js";
import { changedLine, chooseDesign, emptyNotice, notesList } from "./designs.js";
import { contactsOf, largestForce } from "./forcelayer.js";
import { askAgain, askNext, growthOf, keyOf, looks, shownGrowths, wantedGrowths } from "./growths.js";
import { dashSwatch, optionsOf, selectField, setText, swatch } from "./parts.js";
import { pressureTable } from "./pressures.js";
import { chosenDesign, designOf } from "./shown.js";
import { touchLines } from "./touches.js";
import { dashOf } from "./tubelayer.js";
import { actuatorsWords, lengthWords, percent, numberWords } from "./words.js";

/** @typedef {import("../types.js").Design} Design */
/** @typedef {import("../types.js").Growth} Growth */
/** @typedef {{run: string, design: string, propagator: string}} Wanted */

const NONE = "";

/** Fill the panel. */
export function mountLook() {
  const design = selectField("look-design", "Design", [], chooseDesign);
  const other = selectField("look-other", "Compare with", [], (id) => set({ other: id || null, time: Infinity }));
  const boxes = el("div", { id: "look-propagators", class: "boxes" });
  const growths = el("ul", { id: "look-growths", class: "growths", "aria-live": "polite" });
  const forces = el("p", { id: "look-forces", class: "quiet" });
  const touches = el("ul", { id: "look-touches", class: "touches", "aria-label": "What the tube touches" });
  const again = el("button", { type: "button", id: "look-again", onclick: askAgain }, "Try again");
  const content = el(
    "div", {}, changedLine("look-changed"), design.row, other.row,
    el("fieldset", {}, el("legend", {}, "Propagators"), boxes), el("h2", {}, "Growth"), growths, again, forces,
    touches, notesList("look-notes"), el("h2", {}, "Pressures"), pressureTable("pressures", chosenDesign), otherPressures(),
  );
  byId("panel-look", HTMLElement).append(emptyNotice(content), content);
  subscribe(["known"], () => boxes.replaceChildren(...state.known.propagators.map(boxOf)));
  subscribe(["run", "design", "other"], () => {
    const designs = state.run?.designs ?? [];
    const options = designs.map((one) => /** @type {[string, string]} */ ([one.id, nameOf(one)]));
    design.select.replaceChildren(...optionsOf(options));
    design.select.value = state.design;
    other.select.replaceChildren(...optionsOf([[NONE, "nothing"], ...options.filter(([id]) => id !== state.design)]));
    other.select.value = state.other ?? NONE;
    other.row.hidden = designs.length < 2;
  });
  subscribe(["run", "design", "other", "growths", "panel"], () => {
    growths.replaceChildren(...wantedGrowths().map(growthRow));
    again.hidden = looks.failed.size === 0;
    askNext();
  });
  subscribe(["growths", "time", "panel", "design", "run"], () => showForces(forces, touches));
}

function nameOf(/** @type {Design} */ { title, actuators, length }) {
  return `${title}: ${actuatorsWords(actuators)}, ${lengthWords(length)}`;
}

function boxOf(/** @type {string} */ name) {
  const input = el("input", {
    type: "checkbox", value: name, checked: looks.propagators.includes(name),
    onchange: () => {
      const chosen = new Set(looks.propagators);
      if (input.checked) chosen.add(name);
      else chosen.delete(name);
      looks.propagators = state.known.propagators.filter((one) => chosen.has(one));
      set({ growths: [...state.growths] });
    },
  });
  return el("label", { class: "check" }, input, name);
}

/** Legend entry of a growth: its line and how it ends. */
function growthRow(/** @type {Wanted} */ one, /** @type {number} */ k) {
  const growth = growthOf(one);
  const failed = looks.failed.get(keyOf(one));
  const title = state.other ? `${designOf(one.design)?.title ?? one.design}, ${one.propagator}` : one.propagator;
  const sample = k === 0 ? swatch("main-tube") : dashSwatch(one.design === state.design ? "same" : "other", dashOf(one.propagator));
  const text = failed ?? (looks.busy === keyOf(one) ? "growing …" : "waits");
  const result = growth ? endingOf(growth) : [el("span", { class: failed ? "error" : "quiet" }, text)];
  return el("li", {}, sample, el("span", {}, el("span", { class: "name" }, title), " ", ...result));
}

/** Return in words whether a growth reaches the goal, and how it ends. */
function endingOf(/** @type {Growth} */ { reached, ending }) {
  const words = reached ? el("b", { class: "good" }, "✓ reaches the goal") : el("b", { class: "bad" }, "✗ does not reach the goal");
  return [words, el("span", { class: "ending quiet" }, ending)];
}

/** The pressures of the design that is compared. */
function otherPressures() {
  const head = el("h2", { id: "other-title" });
  const part = el("div", {}, head, pressureTable("other-pressures", () => designOf(state.other)));
  subscribe(["run", "other"], () => {
    const other = designOf(state.other);
    part.hidden = !other;
    const share = other?.success ? `, ${percent(other.success.reached / other.success.trials)} %` : "";
    if (other) head.replaceChildren(dashSwatch("other", []), ` ${nameOf(other)}${share}`);
  });
  return part;
}

function showForces(/** @type {HTMLElement} */ line, /** @type {HTMLElement} */ touches) {
  const [growth] = shownGrowths();
  line.hidden = !growth;
  touches.replaceChildren(...(growth ? touchLines(growth) : []));
  if (!growth) return;
  const contacts = contactsOf(growth);
  const most = largestForce(growth);
  if (!most) return setText(line, "No contact force in this growth.");
  const now = contacts.length ? `now ${contacts.length}, the largest ${numberWords(Math.max(...contacts.map(({ force }) => force)), 2)} N` : "now none";
  line.replaceChildren(swatch("force"), ` Contact forces: ${now}. The longest arrow is ${numberWords(most, 2)} N.`);
}
