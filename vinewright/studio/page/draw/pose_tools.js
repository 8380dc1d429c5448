/** Tools that set the start and the goal. */

import { beginGesture, edit, set, state } from "../store.js";
import { pixels } from "../view.js";
import { snapPress, snapRadius, newWord, targets } from "./aim.js";
import { attachStart } from "./attach.js";
import { distance, tidy } from "./geometry.js";
import { headingTo } from "./handles.js";
import { clearGesture, show } from "./live.js";
import { headingMeasures, radiusMeasures } from "./measures.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("./aim.js").Tool} Tool */
/** @typedef {import("./live.js").Dimension} Dimension */

const NEAR = 5; // distance from a face at which the start is mounted there [px]

/** A tool that sets a position with a press, and a heading or radius by dragging on. @returns {Tool} */
function poseTool(
  /** @type {"start" | "goal"} */ name,
  /** @type {Pick<Tool, "title" | "hotkey" | "hint">} */ texts,
  /** @type {(doc: Doc, at: Point) => Doc} */ put,
  /** @type {(doc: Doc, to: Point, shift: boolean) => {doc: Doc, dimensions: Dimension[]}} */ drag,
) {
  const chosen = () => set({ tool: "select", selection: new Set([name]) });
  return {
    ...texts, cursor: "crosshair",
    press(press) {
      const [before, goBack] = [state.doc, beginGesture()];
      const word = newWord(name);
      const near = targets([name]);
      const placed = put(before, snapPress(press, near));
      edit(() => placed, word);
      show({ ghost: null });
      return {
        move(now) {
          const to = name === "start" ? now.at : snapRadius(placed.goal.position, now, near);
          const { doc, dimensions } = drag(placed, to, now.shift);
          edit(() => doc, word);
          show({ dimensions });
        },
        done() {
          clearGesture();
          chosen();
        },
        cancel() {
          goBack();
          clearGesture();
        },
      };
    },
    hover(press) {
      const position = snapPress(press, targets([name]));
      if (name === "start") show({ ghost: { position, heading_deg: state.doc.start.heading_deg } });
    },
    leave() {
      clearGesture();
      return false;
    },
    place() {
      edit((doc) => put(doc, [tidy(Math.round(state.view.x)), tidy(Math.round(state.view.y))]));
      clearGesture();
      chosen();
    },
  };
}

export const startTool = poseTool(
  "start",
  { title: "Start", hotkey: "S", hint: "Click where the tube starts; drag to set its heading. Enter moves it here." },
  // At the face of an obstacle it is mounted there, square to it.
  (doc, position) => {
    const placed = { ...doc, start: { ...doc.start, position } };
    return state.snap ? attachStart(placed, pixels(NEAR)) : placed;
  },
  (doc, to, shift) => {
    const { position } = doc.start;
    const heading_deg = headingTo(position, to, shift);
    return { doc: { ...doc, start: { ...doc.start, heading_deg } }, dimensions: headingMeasures(position, heading_deg) };
  },
);

export const goalTool = poseTool(
  "goal",
  { title: "Goal", hotkey: "G", hint: "Click the centre of the goal; drag to set its radius. Enter moves it here." },
  (doc, position) => ({ ...doc, goal: { ...doc.goal, position } }),
  (doc, to) => {
    const { position } = doc.goal;
    const radius = tidy(distance(position, to)) || doc.goal.radius;
    return { doc: { ...doc, goal: { ...doc.goal, radius } }, dimensions: radiusMeasures(position, radius) };
  },
);
