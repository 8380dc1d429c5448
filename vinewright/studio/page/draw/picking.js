/** Points that are picked on the picture beneath the drawing: how many, and the words that ask for them. */

import { show } from "./live.js";
import { set } from "../store.js";

/** @typedef {import("./live.js").Picking} Picking */

/** @type {Record<Picking, {count: number, button: string, ask: string, then: string}>} */
export const PICKINGS = {
  scale: {
    count: 2, button: "Set the scale by two points", ask: "Click two points whose distance you know.", then: "Type their distance in the panel.",
  },
  level: {
    count: 2, button: "Straighten by two points", ask: "Click two points of a line that is horizontal or vertical.",
    then: "Say in the panel which it is.",
  },
  corners: {
    count: 4, button: "Correct the perspective by four corners", ask: "Click the four corners of a rectangle whose size you know.",
    then: "Type its size in the panel.",
  },
};

/** Begin to pick points, or end it with null. */
export function startPicking(/** @type {Picking | null} */ picking) {
  if (picking) set({ tool: "background", panel: "draw" });
  show(picking ? { picks: [], picking } : { picks: null });
}
