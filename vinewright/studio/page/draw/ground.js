/** Lowest layers of the canvas: the paper of the bounds, the background picture, and the grid. */

import { byId } from "../dom.js";
import { state, subscribe } from "../store.js";
import { addLayer, colour, pixels, repaint, size, toDrawing } from "../view.js";
import { gridStep } from "./snap.js";

/** @type {HTMLImageElement | null} */
let picture = null;

/** Add the layers beneath the layers of the panels. */
export function mountGround() {
  addLayer(-30, paintPaper);
  addLayer(-20, paintPicture);
  addLayer(-10, paintGrid);
  subscribe(["background"], loadPicture);
  subscribe(["snap"], repaint);
}

function paintPaper(/** @type {CanvasRenderingContext2D} */ context) {
  const { min, max } = state.doc.bounds;
  context.fillStyle = colour("paper");
  context.fillRect(min[0], min[1], max[0] - min[0], max[1] - min[1]);
}

function loadPicture() {
  byId("solids", SVGSVGElement).style.setProperty("--cover", String(state.background?.cover ?? 1));
  const src = state.background?.src ?? null;
  if (src !== (picture?.src ?? null)) {
    picture = src ? new Image() : null;
    if (picture && src) {
      picture.onload = repaint;
      picture.src = src;
    }
  }
  repaint();
}

function paintPicture(/** @type {CanvasRenderingContext2D} */ context) {
  const { background } = state;
  if (!background || !picture?.complete || !picture.naturalWidth) return;
  const { x, y, width, height, scale, turn, opacity } = background;
  context.globalAlpha = opacity;
  context.translate(x, y);
  context.rotate((turn * Math.PI) / 180);
  // Pictures have y down: mirror about the upper edge.
  context.translate(0, height * scale);
  context.scale(scale, -scale);
  context.drawImage(picture, 0, 0, width, height);
}

function paintGrid(/** @type {CanvasRenderingContext2D} */ context) {
  if (!state.snap) return;
  const step = gridStep(state.view.scale);
  const [x0, y1] = toDrawing(0, 0);
  const [x1, y0] = toDrawing(size.width, size.height);
  for (const [every, share] of /** @type {[number, number][]} */ ([[1, 0.06], [10, 0.11]])) {
    const gap = every * step;
    context.beginPath();
    for (let k = Math.ceil(x0 / gap); k * gap <= x1; k += 1) {
      context.moveTo(k * gap, y0);
      context.lineTo(k * gap, y1);
    }
    for (let k = Math.ceil(y0 / gap); k * gap <= y1; k += 1) {
      context.moveTo(x0, k * gap);
      context.lineTo(x1, k * gap);
    }
    // Of the ink, so that the lines are faint on a picture as well.
    context.strokeStyle = colour("ink");
    context.globalAlpha = share;
    context.lineWidth = pixels(1);
    context.stroke();
  }
}
