/** The search tree as thin lines. It changes several times a second and has thousands of branches: paths are kept in blocks. */

import { state } from "../store.js";
import { pixels, repaint } from "../view.js";
import { isOwnPlan } from "./ownplan.js";
import { canvasColour } from "./palette.js";
import { isPlanning } from "./shown.js";

/** @typedef {[number, 0 | 1, number[]]} Branch slot, whether it follows a jump, coordinates in tenths of a millimetre */
/** @typedef {{branches: Map<number, Branch>, plain: Path2D, jumped: Path2D, stale: boolean}} Block */

const SIZE = 200; // branches of a block: dropping one rebuilds the paths of so many

/** @type {Block[]} */
let blocks = [];
/** @type {Map<number, Block>} */
const blockOf = new Map();

/** Change the tree. */
export function changeTree(/** @type {{reset: boolean, drop: number[], add: Branch[]}} */ { reset, drop, add }) {
  if (reset) clearTree();
  drop.forEach(dropBranch);
  add.forEach(addBranch);
  repaint();
}

function clearTree() {
  blocks = [];
  blockOf.clear();
  repaint();
}

function dropBranch(/** @type {number} */ slot) {
  const block = blockOf.get(slot);
  if (!block) return;
  block.branches.delete(slot);
  block.stale = true;
  blockOf.delete(slot);
}

function addBranch(/** @type {Branch} */ branch) {
  dropBranch(branch[0]);
  let block = blocks.at(-1);
  if (!block || block.branches.size >= SIZE) {
    block = { branches: new Map(), plain: new Path2D(), jumped: new Path2D(), stale: false };
    blocks.push(block);
  }
  block.branches.set(branch[0], branch);
  blockOf.set(branch[0], block);
  if (!block.stale) draw(block, branch);
}

function draw(/** @type {Block} */ block, /** @type {Branch} */ [, jumped, line]) {
  const path = jumped ? block.jumped : block.plain;
  path.moveTo(line[0] / 10, line[1] / 10);
  for (let k = 2; k < line.length; k += 2) path.lineTo(line[k] / 10, line[k + 1] / 10);
}

function rebuild(/** @type {Block} */ block) {
  [block.plain, block.jumped, block.stale] = [new Path2D(), new Path2D(), false];
  for (const branch of block.branches.values()) draw(block, branch);
}

/** Paint the tree, in the panel of plans only unless the search is under way. */
export function paintTree(/** @type {CanvasRenderingContext2D} */ context) {
  const { panel } = state;
  if (!blocks.length || !isOwnPlan() || !(panel === "plan" || (isPlanning() && (panel === "draw" || panel === "tube")))) return;
  if (blocks.some((block) => block.stale && !block.branches.size)) blocks = blocks.filter((block) => block.branches.size);
  for (const block of blocks) if (block.stale) rebuild(block);
  context.lineWidth = pixels(1);
  context.strokeStyle = canvasColour("searched");
  for (const { plain } of blocks) context.stroke(plain);
  context.globalAlpha = 0.8;
  context.strokeStyle = canvasColour("jumped");
  context.setLineDash([pixels(5), pixels(3)]);
  for (const { jumped } of blocks) context.stroke(jumped);
}
