/** The tool that measures: between two points, which snap, the distance, its parts along x and y, and its angle. It changes nothing. */

import { snapPress, targets } from "./aim.js";
import { angle, distance, minus } from "./geometry.js";
import { snapDirection } from "./handles.js";
import { live, show } from "./live.js";
import { angleText, lengthWithUnit } from "./measures.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./aim.js").Press} Press */
/** @typedef {import("./aim.js").Tool} Tool */

/** The first point, while the second one follows the pointer. @type {Point | null} */
let first = null;

function measure(/** @type {Point} */ from, /** @type {Press} */ press) {
  const there = snapPress(press, targets());
  const to = press.shift ? snapDirection(from, there) : there;
  const [dx, dy] = minus(to, from).map((value) => lengthWithUnit(value).replace("-", "−"));
  const text = `${lengthWithUnit(distance(from, to))}  ${angleText(angle(from, to))}`;
  const away = distance(from, to) > 0;
  show({ dimensions: away ? [{ from, to, text, aside: 16 }, { from: to, to, text: `x ${dx}  y ${dy}` }] : [] });
}

/** @type {Tool} */
export const measureTool = {
  title: "Measure", hotkey: "L", cursor: "crosshair",
  hint: "Drag between two points, or click both: their distance and angle. Shift: angles of 15°. Esc clears it.",
  press(press) {
    const from = first ?? snapPress(press);
    const second = first !== null;
    if (!second) show({ dimensions: [] });
    return {
      move: (now) => measure(from, now),
      done(now, dragged) {
        first = second || dragged ? null : from;
        if (second || dragged) measure(from, now);
      },
      cancel: forget,
    };
  },
  hover(press) {
    if (first) measure(first, press);
    else snapPress(press);
  },
  leave: forget,
};

function forget() {
  const busy = first !== null || live.dimensions.length > 0;
  first = null;
  show({ dimensions: [], snapped: null });
  return busy;
}
