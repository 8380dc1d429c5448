/** The editor of the drawing. */

import { mountCheck } from "./check.js";
import { mountFiles } from "./files.js";
import { mountGround } from "./ground.js";
import { mountHint } from "./hint.js";
import { mountInspector } from "./inspector.js";
import { mountKeeping } from "./keeping.js";
import { mountKeyboard } from "./keyboard.js";
import { mountMenu } from "./menu.js";
import { mountOverlay } from "./overlay.js";
import { mountPointer } from "./pointer.js";
import { mountScene } from "./scene.js";
import { mountToolbar } from "./toolbar.js";
import { mountTools } from "./tools.js";

/** Put the editor into the page; once, after the state knows what the server offers. */
export function mountDraw() {
  mountGround();
  mountScene();
  mountMenu();
  mountOverlay();
  mountTools();
  mountPointer();
  mountToolbar();
  mountFiles();
  mountKeeping();
  mountKeyboard();
  mountCheck();
  mountInspector();
  mountHint();
}
