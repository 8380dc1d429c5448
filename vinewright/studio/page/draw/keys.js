/** The list of all keys, in a flyout. */

import { el } from "../dom.js";

/** Actions of the keys, by the part of the page in which they work. @type {[string, [string, string][]][]} */
const LISTS = [
  ["Everywhere", [
    ["Ctrl+Enter", "plan"], ["Ctrl+Shift+Enter", "stop the plan"], ["Ctrl+S", "save"], ["Ctrl+O", "open a file"], ["F1, ?", "this list"],
    ["+ −", "zoom in, out"], ["0", "fit the drawing"], ["U", "mm, cm, inches or feet"], ["N", "snap to grid and corners"],
    ["T", "tube width at the pointer"], ["M", "narrowest passages"],
  ]],
  ["Tools", [
    ["V", "select"], ["B", "box"], ["P", "polygon"], ["C", "circle"], ["W", "wall"], ["S", "start"], ["G", "goal"], ["I", "background picture"],
    ["L", "measure"],
  ]],
  ["Drawing", [
    ["Page down, page up", "next object, the one before"], ["Home, End", "first object, last one"], ["Arrows", "move by a grid step; with nothing selected, the view"],
    ["Shift+arrows", "move by ten grid steps"], ["Alt+arrows", "move by 1 mm"], ["[ ] or , .", "turn by 5°"],
    ["Enter", "go to the numbers; place with a tool"],
    ["Delete", "delete"], ["Ctrl+Z", "undo"], ["Ctrl+Shift+Z, Ctrl+Y", "redo"], ["Ctrl+D", "duplicate"], ["Ctrl+C, X, V", "copy, cut, paste"],
    ["Ctrl+A", "select all obstacles"], ["Ctrl+G, Ctrl+Shift+G", "group, ungroup"], ["Alt and drag", "move a copy"],
    ["Alt during a drag", "distances between centre lines"],
    ["Shift or Ctrl and click", "add to the selection, or remove"], ["Shift+F10, right click", "menu"], ["Space and drag", "move the view"], ["Esc", "cancel; back to the tools"],
  ]],
  ["Fields of numbers", [
    ["Enter", "apply"], ["Up, Down", "1 more, 1 less; with Shift, 10"],
    ["Left, Right", "at the ends of a corner's number: to its buttons"], ["Esc", "back to the value before"],
  ]],
];

const flyout = el("div", { id: "keys", role: "dialog", "aria-label": "Keys", tabindex: -1, hidden: true });
const POPUP = { "aria-label": "Keys (F1)", "aria-haspopup": "dialog", "aria-expanded": "false", "aria-controls": "keys" };
const button = el("button", { type: "button", class: "icon-button keys-button", title: "Keys (F1)", ...POPUP, onclick: toggleKeys }, "?");
/** Element that had the focus before. @type {Element | null} */
let before = null;

/** Mount the button beneath which the list opens. */
export function mountKeys() {
  const sections = LISTS.map(([title, rows]) => el("section", {}, el("h2", {}, title), tableOf(title, rows)));
  flyout.append(el("div", { class: "lists" }, ...sections));
  document.body.append(flyout);
  flyout.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    close(true);
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!flyout.hidden && target instanceof Node && !flyout.contains(target) && !button.contains(target)) close(false);
  }, true);
  return button;
}

/** Open the list, or close it. */
export function toggleKeys() {
  if (!flyout.hidden) return close(true);
  before = document.activeElement;
  flyout.hidden = false;
  button.setAttribute("aria-expanded", "true");
  flyout.focus();
}

function close(/** @type {boolean} */ back) {
  flyout.hidden = true;
  button.setAttribute("aria-expanded", "false");
  if (back && before instanceof HTMLElement) before.focus({ preventScroll: true });
}

function tableOf(/** @type {string} */ title, /** @type {[string, string][]} */ rows) {
  const body = rows.map(([keys, text]) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, keys)), el("td", {}, text)));
  return el("table", { "aria-label": title }, el("tbody", {}, ...body));
}
