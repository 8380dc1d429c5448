/** The line at the top of the stage: what the tool does, what the selected object is, what to do first. */

import { byId, el } from "../dom.js";
import { state, subscribe } from "../store.js";
import { isEditable } from "./editing.js";
import { live, whenShown } from "./live.js";
import { PICKINGS } from "./picking.js";
import { filterExisting } from "./shapes.js";
import { currentTool } from "./tools.js";
import { nameOf } from "./words.js";

const FIRST_STEPS = ["Draw obstacles", "Set start and goal", "Press Plan"];

/** Keep the line up to date. */
export function mountHint() {
  subscribe(["tool", "selection", "doc", "background", "panel"], showHint);
  let picked = live.picks?.length;
  whenShown(() => {
    if (live.picks?.length !== picked) showHint();
    picked = live.picks?.length;
  });
}

const KEYS = "[ ] or , . turn";
const FINGERS = matchMedia("(hover: none) and (pointer: coarse)");
/** @type {string | null} */
let before = null;

function showHint() {
  const line = byId("hint", HTMLElement);
  line.hidden = !isEditable();
  if (line.hidden) return;
  const text = hintText();
  // It is read aloud when it changes, which dragging must not cause.
  if (text === before) return;
  before = text;
  if (text) line.replaceChildren(text);
  else line.replaceChildren(el("ol", { class: "steps" }, ...FIRST_STEPS.map((step) => el("li", {}, step))));
}

/** "" for the first steps. */
function hintText() {
  const { doc, selection, tool, background } = state;
  if (tool === "background") {
    if (live.picks) {
      const { count, ask, then } = PICKINGS[live.picking];
      return live.picks.length < count ? ask : then;
    }
    if (background && FINGERS.matches) return "Drag to move the picture; the handle turns it.";
    return background ? "Drag to move the picture; the handle, [ ] or , . turn it." : "Choose, drop or paste a picture.";
  }
  if (tool !== "select") return currentTool().hint;
  const ids = filterExisting(doc, selection);
  if (FINGERS.matches) return fingersText(ids);
  if (ids.length > 1) return `${ids.length} objects: drag or arrows move, ${KEYS}, Delete removes.`;
  if (ids.length) return selectedText(ids[0]);
  return doc.shapes.length ? "Click to select, drag for a rectangle: to the right what is inside, to the left what it touches." : "";
}

/** Without a mouse or keys. */
function fingersText(/** @type {(number | string)[]} */ ids) {
  if (ids.length > 1) return `${ids.length} objects: drag to move them.`;
  if (ids.length) return `${nameOf(state.doc, ids[0])}: drag it or its handles, or type numbers in the panel.`;
  return state.doc.shapes.length ? "Tap to select; one finger moves the view, two zoom." : "";
}

function selectedText(/** @type {number | string} */ id) {
  const name = nameOf(state.doc, id);
  if (id === "bounds") return `${name}: drag the handles, Enter for numbers.`;
  if (id === "start") return `${name}: drag or arrows move, the handle or ${KEYS}, Enter for numbers.`;
  if (id === "goal") return `${name}: drag or arrows move, Enter for numbers.`;
  return `${name}: drag or arrows move, ${KEYS}, Enter for numbers, Delete removes.`;
}
