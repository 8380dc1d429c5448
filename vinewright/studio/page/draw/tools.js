/** The tools, in the order of the toolbar. */

import { set, state, subscribe } from "../store.js";
import { backgroundTool } from "./background.js";
import { isEditable } from "./editing.js";
import { measureTool } from "./measure_tool.js";
import { polygonTool } from "./polygon_tool.js";
import { goalTool, startTool } from "./pose_tools.js";
import { selectTool } from "./select_tool.js";
import { boxTool, circleTool, wallTool } from "./shape_tools.js";

/** @typedef {import("./aim.js").Tool} Tool */

/** @type {Record<string, Tool>} */
export const TOOLS = {
  select: selectTool,
  box: boxTool,
  polygon: polygonTool,
  circle: circleTool,
  wall: wallTool,
  start: startTool,
  goal: goalTool,
  background: backgroundTool,
  measure: measureTool,
};

/** The tool that is chosen. */
export function currentTool() {
  return TOOLS[state.tool] ?? selectTool;
}

/** A tool that is left forgets what was under way. Where the drawing is only looked at there is nothing to draw. */
export function mountTools() {
  let last = currentTool();
  subscribe(["tool"], () => {
    if (currentTool() !== last) last.leave?.();
    last = currentTool();
  });
  subscribe(["panel"], () => {
    if (!isEditable()) set({ tool: "select" });
  });
}
