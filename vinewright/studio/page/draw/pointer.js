/** The pointer and the wheel on the stage: gestures of the tools, panning, zooming. */

import { byId } from "../dom.js";
import { set, state, subscribe } from "../store.js";
import { lengthText } from "../text.js";
import { fit, pixels, size, stage, zoom } from "../view.js";
import { pressOf } from "./aim.js";
import { isEditable } from "./editing.js";
import { fingerDown, fingerMove, fingerUp } from "./fingers.js";
import { distance } from "./geometry.js";
import { objectAt } from "./hit.js";
import { live, show } from "./live.js";
import { tubeRadius } from "./scene.js";
import { fineStep } from "./snap.js";
import { currentTool } from "./tools.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./aim.js").Gesture} Gesture */
/** @typedef {import("./aim.js").Press} Press */

const THRESHOLD = 3; // a press that moves less is a click [px]
const TOUCH_THRESHOLD = 8; // of a finger [px]
const LINE = 16; // height of a line, for wheels that count lines [px]

/** @type {{gesture: Gesture, from: Press, last: Press, pointer: number, dragged: boolean} | null} */
let current = null;
let panning = false;

/** Handle the pointer. */
export function mountPointer() {
  stage.addEventListener("pointerdown", handleDown);
  stage.addEventListener("pointermove", handleMove);
  stage.addEventListener("pointerup", handleUp);
  stage.addEventListener("pointercancel", (event) => {
    fingerUp(event.pointerId);
    cancelGesture();
  });
  for (const type of /** @type {const} */ (["keydown", "keyup"])) window.addEventListener(type, handleModifier);
  stage.addEventListener("pointerleave", () => show({ pointer: null, hover: null, ghost: null, snapped: null }));
  stage.addEventListener("dblclick", (event) => {
    if (isOnDrawing(event)) currentTool().finish?.();
  });
  stage.addEventListener("wheel", handleWheel, { passive: false });
  // The middle button pans; it must not start the scrolling of the browser.
  stage.addEventListener("mousedown", (event) => {
    if (event.button === 1) event.preventDefault();
  });
  subscribe(["tool", "panel"], showCursor);
  subscribe(["unit"], () => showPosition(pointed));
  subscribe(["panel"], () => {
    if (!isEditable()) show({ hover: null, corner: null, snapped: null });
  });
  subscribe(["unit"], () => showPosition(live.pointer));
}

/** Return whether an event is on the drawing, not on a part of the panels that lies on the stage. */
function isOnDrawing(/** @type {Event} */ { target }) {
  return target === stage || (target instanceof Element && Boolean(target.closest("#drawing")));
}

/** Return whether a drag is under way. */
export function isDragging() {
  return current !== null;
}

/** Pan with the space bar: while it is held, dragging moves the view. */
export function setPanning(/** @type {boolean} */ on) {
  panning = on;
  showCursor();
}

/** End what is being dragged as if it had not begun. */
export function cancelGesture() {
  current?.gesture.cancel();
  current = null;
  showCursor();
}

function showCursor() {
  if (live.asking && !panning) stage.style.cursor = "crosshair";
  else stage.style.cursor = panning || !isEditable() ? "grab" : live.hover === null ? currentTool().cursor : "move";
}

function handleDown(/** @type {PointerEvent} */ event) {
  if (!isOnDrawing(event)) return;
  if (isTouch(event) && fingerDown(event, pressOf(event).screen)) {
    stage.setPointerCapture(event.pointerId);
    cancelGesture();
    return;
  }
  if (current) return;
  // A number that is being typed is applied before the drawing changes.
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && activeElement !== stage) activeElement.blur();
  stage.focus({ preventScroll: true });
  const from = pressOf(event);
  const pans = event.button === 1 || (event.button === 0 && (panning || !isEditable() || (isTouch(event) && isOnGround(from))));
  if (!pans && event.button !== 0) return;
  const gesture = pans ? pan(from) : currentTool().press(from);
  if (!gesture) return;
  current = { gesture, from, last: from, pointer: event.pointerId, dragged: false };
  stage.setPointerCapture(event.pointerId);
}

/** Return whether an event is one of a finger: it points at nothing while it is not down, and is less exact than a mouse. */
function isTouch(/** @type {PointerEvent} */ { pointerType }) {
  return pointerType === "touch";
}

/** Return whether there is nothing to select or to draw at a press, so that a finger moves the view. */
function isOnGround(/** @type {Press} */ { at, handle }) {
  return state.tool === "select" && !handle && objectAt(state.doc, at, pixels(TOUCH_THRESHOLD), tubeRadius()) === null;
}

function handleMove(/** @type {PointerEvent} */ event) {
  const press = pressOf(event);
  if (isTouch(event) && fingerMove(event.pointerId, press.screen)) return;
  showPosition(press.at);
  if (!current) {
    if (!isOnDrawing(event) || isTouch(event)) return;
    show({ pointer: press.at });
    currentTool().hover?.(press);
    showCursor();
    return;
  }
  if (event.pointerId !== current.pointer) return;
  if (!current.dragged && distance(press.screen, current.from.screen) < (isTouch(event) ? TOUCH_THRESHOLD : THRESHOLD)) return;
  current.dragged = true;
  current.last = press;
  live.pointer = press.at;
  current.gesture.move(press);
}

/** Go on with a drag when Shift, Ctrl or Alt is pressed or let go: it counts without a movement. */
function handleModifier(/** @type {KeyboardEvent} */ event) {
  if (!current?.dragged || event.repeat || !["Shift", "Control", "Meta", "Alt"].includes(event.key)) return;
  event.preventDefault(); // Alt alone opens the menu of some browsers
  current.last = { ...current.last, shift: event.shiftKey, alt: event.altKey, free: event.ctrlKey || event.metaKey };
  current.gesture.move(current.last);
}

function handleUp(/** @type {PointerEvent} */ event) {
  fingerUp(event.pointerId);
  if (!current || event.pointerId !== current.pointer) return;
  const { gesture, dragged } = current;
  current = null;
  gesture.done(pressOf(event), dragged);
  showCursor();
}

/** @returns {Gesture} */
function pan(/** @type {Press} */ from) {
  const { view } = state;
  stage.style.cursor = "grabbing";
  const shift = (/** @type {Press} */ { screen }) => {
    const [dx, dy] = [screen[0] - from.screen[0], screen[1] - from.screen[1]];
    set({ view: { ...view, x: view.x - dx / view.scale, y: view.y + dy / view.scale } });
  };
  const done = (/** @type {Press} */ _, /** @type {boolean} */ dragged) => {
    if (!dragged && !isEditable() && !panning) live.asking?.(from.at);
    // A tap on the ground selects nothing, as a click does.
    if (!dragged && isEditable() && isOnGround(from)) set({ selection: new Set() });
  };
  return { move: shift, done, cancel: () => set({ view }) };
}

function handleWheel(/** @type {WheelEvent} */ event) {
  if (!isOnDrawing(event)) return;
  event.preventDefault();
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
  const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
  if (event.shiftKey) {
    const { x, y, scale } = state.view;
    // With Shift some systems turn a vertical wheel into a horizontal one.
    set({ view: { x: x + (dx || dy) / scale, y: dx ? y - dy / scale : y, scale } });
    return;
  }
  // A pinch on a trackpad arrives as a wheel with Ctrl, in smaller steps.
  zoom(Math.exp(-dy * (event.ctrlKey ? 0.01 : 0.0016)), pressOf(event).screen);
}

/** Pan by a number of pixels. */
export function panBy(/** @type {Point} */ [dx, dy]) {
  const { x, y, scale } = state.view;
  set({ view: { x: x + dx / scale, y: y - dy / scale, scale } });
}

/** Last position of the pointer. @type {Point | null} */
let pointed = null;

function showPosition(/** @type {Point | null} */ at) {
  if (!at) return;
  pointed = at;
  const step = Math.max(fineStep(state.view.scale), 0.01);
  const [x, y] = at.map((value) => lengthText(Math.round(value / step) * step, state.unit));
  byId("position", HTMLElement).textContent = `${x}, ${y} ${state.unit}`;
}

/** Fit the drawing into the stage, as soon as the stage has a size. */
export function fitSoon() {
  if (size.width > 1) fit();
  else requestAnimationFrame(fitSoon);
}
