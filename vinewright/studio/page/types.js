/**
 * Types of the page; the module has no code. All lengths are millimetres, angles degrees, pressures kilopascals.
 *
 * @typedef {[number, number]} Point
 *
 * @typedef {"box" | "polygon" | "circle" | "wall"} Kind
 *
 * @typedef {object} Shape
 * An obstacle. Shapes are never changed in place: an edit makes a new one with the same id.
 * @property {number} id unique in this page, never reused
 * @property {Kind} kind
 * @property {number[]} row box: x_min, y_min, x_max, y_max and, if it is turned, its angle about its centre; circle: x, y, radius; wall: x1, y1, x2, y2, thickness; polygon: empty
 * @property {Point[]} corners of a polygon, in order; empty for other kinds
 * @property {number | null} origin index in its list of the file that was opened; null if it is new
 * @property {string} name that it was given; "" without one
 * @property {number | null} group number of its group, all of which is selected together; in no file, as `ObjectStates`
 * @property {boolean} locked whether the pointer passes it by; in no file
 * @property {boolean} hidden whether it is not drawn, though it is there; in no file
 *
 * @typedef {object} Doc
 * The environment that is edited; never changed in place.
 * @property {string} name
 * @property {string} description
 * @property {string | null} tube the tube that the file names
 * @property {{min: Point, max: Point, edge: string, stacked: boolean}} bounds
 * @property {{position: Point, heading_deg: number, mount: string}} start
 * @property {{position: Point, radius: number}} goal
 * @property {Shape[]} shapes
 * @property {string} ends "flat" or "round": the ends of walls
 * @property {number | null} friction
 *
 * @typedef {object} Content
 * An environment as the server exchanges it.
 * @property {string} name
 * @property {string} description
 * @property {string | null} tube
 * @property {{min: Point, max: Point, edge: string, stacked: boolean}} bounds
 * @property {{position: Point, heading_deg: number, mount: string}} start
 * @property {{position: Point, radius: number}} goal
 * @property {{boxes: number[][], polygons: Point[][], circles: number[][], walls: number[][], ends: string, friction: number | null, names?: Record<string, string>}} obstacles `names`: by kind and number, as "wall 6"
 *
 * @typedef {object} Origins
 * For each list of a content the index of each row in the file that was opened; null for a row that is new.
 * @property {(number | null)[]} boxes
 * @property {(number | null)[]} polygons
 * @property {(number | null)[]} circles
 * @property {(number | null)[]} walls
 *
 * @typedef {object} Opened
 * A drawing that is opened.
 * @property {Content} content
 * @property {string} text the file, to which the edits apply
 * @property {string} name
 * @property {string | null} [file] name of the file on disk that Save writes
 * @property {string} [saved] the text as last saved; `text` if it is not given
 * @property {Origins} [origins] if they are not given, the content is the content of the file
 * @property {string | null} [id] under which it is kept on disk; a new one if it is not given
 * @property {Partial<Beside>} [beside]
 * @property {number} [edited_ms] when it was edited last, for a drawing of a studio that has ended
 *
 * @typedef {object} Passage
 * @property {[Point, Point]} ends
 * @property {number} width
 * @property {boolean} narrow whether the tube does not fit through
 *
 * @typedef {object} Check
 * Answer of the server about the drawing.
 * @property {string} text the file as it would be saved
 * @property {boolean} written whether the drawing could be written; if not, `text` is the file as it was opened
 * @property {{message: string, key: string} | null} problem what is wrong, and the key of the file, for example `obstacles.walls[2]`
 * @property {string[]} hints
 * @property {Passage[]} passages narrowest first
 * @property {string} not_kept why it is not kept on disk; empty if it is
 *
 * @typedef {{label: string, value: string, note: string}} Figure
 *
 * @typedef {object} Tube
 * @property {string} name of a shipped tube, or "own"
 * @property {Record<string, any>} content all keys of a tube file
 * @property {number} radius
 * @property {Figure[]} [figures] derived quantities, in the answer to a request for a tube
 *
 * @typedef {object} TubeKey
 * @property {string} table "" for the tube itself, or "actuator"
 * @property {string} kind type of the actuators that have it; "" for all
 * @property {string} name
 * @property {string} unit
 * @property {number} least
 * @property {number} most
 * @property {string} meaning
 *
 * @typedef {[number, number, number][]} Profile
 * Edges of an actuator or of folds: length of film from the base, and how far to the left of the centreline the inner and outer edge are.
 *
 * @typedef {object} Section
 * @property {number} start_mm
 * @property {number} end_mm
 * @property {"left" | "right" | "none"} side
 * @property {number} l0_mm
 * @property {number} pressure_kpa
 * @property {boolean} pressurised
 * @property {boolean} [preformed] whether it is bent by folds, without an actuator
 * @property {string} [type] of its actuator, in a design with actuators of several types
 * @property {Profile} [profile] of its actuator at its true thickness, or of its folds; none of a bare section
 *
 * @typedef {{error: string, share: number, interval_95: [number, number]}} Influence
 * An error, and the share of the variance of success that it explains alone, as shares of 1.
 *
 * @typedef {{errors: string, reached: number, trials: number, low: number, high: number, weakest: string | null}} Success
 *
 * @typedef {object} Design
 * @property {string} id "best", or the number of a solution as text
 * @property {string} title
 * @property {number} actuators
 * @property {number} length built length
 * @property {number} radius of its tube
 * @property {Section[]} sections
 * @property {Point[]} line predicted joints from base to tip
 * @property {number[]} film length of film from the base at each joint
 * @property {Success | null} success
 * @property {boolean} jumps
 * @property {string} missed where it ends as planned if that is outside the goal, else empty
 * @property {string[]} notes sentences about the room that its inflated actuators lack
 *
 * @typedef {object} FrontPoint
 * @property {number} actuators
 * @property {number} reached
 * @property {number} trials
 * @property {number} low 95 % interval, as shares of 1
 * @property {number} high
 * @property {boolean} chosen
 *
 * @typedef {object} RunView
 * @property {string} name of its folder
 * @property {string} text its environment as TOML
 * @property {Content} content
 * @property {Record<string, any>} tube all keys of its tube
 * @property {Design[]} designs the one to make first
 * @property {FrontPoint[]} front
 * @property {number | null} wanted share of trials that was asked for
 * @property {{lines: Point[][], reached: boolean[]} | null} trials
 * @property {Influence[] | null} influences errors on which success in these trials depends, the largest share first; null if not known
 * @property {{iterations: number, seconds: number, first_s: number, reason: string}} facts
 * @property {PlanOptions} options with which it was planned
 * @property {PlanOptions} again options for another plan like it, all of which the panel can have
 * @property {string[]} unusable options of it that the panel cannot have, as on the command line
 *
 * @typedef {object} Growth
 * One vine of a design, growing.
 * @property {string} run
 * @property {string} design
 * @property {string} propagator
 * @property {number[]} lengths grown length of each record
 * @property {Point[][]} joints of each record
 * @property {number[][]} forces normal force on each segment of each record [N]
 * @property {boolean} reached
 * @property {string} ending
 *
 * @typedef {object} PlanState
 * @property {"idle" | "starting" | "compiling" | "searching" | "refining" | "writing" | "done" | "failed"} phase
 * @property {number} seconds
 * @property {number} left
 * @property {number} iterations
 * @property {number} nodes
 * @property {string} message
 * @property {{actuators: number, length: number} | null} best
 * @property {number | null} success share of trials or worlds, while refining
 * @property {string | null} run name of the run folder, when done
 * @property {FrontPoint[]} front
 * @property {string | null} drawing id of the drawing that is planned; null while the server only gets ready
 * @property {string} name of the drawing
 *
 * @typedef {object} TrialsState
 * @property {string} run
 * @property {string} design
 * @property {boolean} busy
 * @property {Point[][]} lines
 * @property {boolean[]} reached
 * @property {Success | null} success
 * @property {number} asked
 * @property {{text: string, obstacles: string[], section: number | null} | null} weakest names of obstacles; section counts from 1
 * @property {Influence[]} influences errors on which success depends, the largest share first
 *
 * @typedef {object} PackView
 * @property {string} id
 * @property {string} run
 * @property {string} design
 * @property {string} pattern SVG
 * @property {string[][]} cuts the cut list; its first row is the heading
 * @property {string[][]} parts the same for the parts
 * @property {string[]} warnings
 * @property {string[]} files
 * @property {boolean} reached
 *
 * @typedef {object} BuiltView
 * What was measured of a design that was built.
 * @property {string} run
 * @property {string[]} designs ids of the designs of which it is: the one to make may be one of the solutions, too
 * @property {string} problem why it cannot be used; empty if it can
 * @property {string} summary
 * @property {string[]} notes on what is unlikely
 * @property {{what: string, words: string, note: string}[]} items in the order of their numbers, from 1
 * @property {{at: Point, reached: boolean | null}[]} tips of the growths that have one
 * @property {{older: boolean, errors: LearntError[]} | null} learnt errors in its folder, and whether trials were changed since
 *
 * @typedef {{error: string, unit: string, mean: number, deviation: number, slider: string | null}} LearntError
 * An error that trials told; `slider` is the key to which it belongs.
 *
 * @typedef {{mean: number, low: number, high: number}} SuccessRange
 * Probability that the next growth reaches the goal, and the 90 % interval of the success of this tube, as shares of 1.
 *
 * @typedef {object} Learning
 * @property {string} run
 * @property {string} design
 * @property {boolean} busy
 * @property {number | null} share of the work that is done
 * @property {boolean} stopped
 * @property {{before: SuccessRange, now: SuccessRange, lines: string[], rows: [string, string, string][], notes: string[]} | null} result
 * rows: error, before and now
 *
 * @typedef {object} Proposal
 * A change of a built tube.
 * @property {string} change
 * @property {string[]} to_do
 * @property {SuccessRange} success
 * @property {boolean} better whether it is measurably better than all that are cheaper
 * @property {Design} design as it is expected to grow then
 * @property {Point[]} tips where it may end
 * @property {number[]} marks lengths from which its pressures hold
 * @property {(number | null)[][]} pressures of each actuator, before and then at each mark; empty if they followed a schedule before
 *
 * @typedef {object} Adapting
 * @property {string} run
 * @property {string} design
 * @property {number} search number of the job
 * @property {number} wanted share of growths
 * @property {boolean} busy
 * @property {"weighing" | "searching"} stage
 * @property {number | null} share of the work that is done
 * @property {string[]} notes
 * @property {string} measured of what, in words; empty if nothing was measured
 * @property {number} total number of kinds of change, with none
 * @property {Proposal[]} proposals cheapest first, the first is the tube as it is
 * @property {number | null} recommended
 * @property {number} best
 * @property {boolean} stopped
 * @property {number | null} chosen the proposal that is shown
 * @property {boolean} picked whether it was chosen in this page
 * @property {{folder: string, path: string} | null} kept where it was saved
 *
 * @typedef {{key: string, src: string, width: number, height: number, x: number, y: number, turn: number, scale: number, opacity: number, cover: number}} Background
 * A picture beneath the drawing: the name under which the server keeps it and its address in this page; size in pixels, position of
 * its lower left corner, angle by which it is turned about that, mm per pixel; its opacity and that of the obstacles over it.
 *
 * @typedef {Omit<Background, "src">} KeptBackground
 *
 * @typedef {object} ObjectStates
 * Groups, locks and hiding of obstacles, which are called by their kind and number, as "wall 6".
 * @property {string[][]} groups
 * @property {string[]} locked
 * @property {string[]} hidden
 *
 * @typedef {object} Beside
 * Everything that belongs to a drawing and is not in its file, as it is kept.
 * @property {KeptBackground | null} background
 * @property {ObjectStates | null} objects
 * @property {PlanOptions | null} options
 * @property {string | null} run name of the run that is shown with it
 * @property {string} design id of its design that is shown
 *
 * @typedef {Record<string, number | string | boolean | null>} PlanOptions
 * Options of a plan, by the names of `planner.plan.options`.
 *
 * @typedef {object} State
 * @property {Doc} doc
 * @property {string} id under which the drawing is kept on disk
 * @property {string} text TOML that was opened, to which the edits apply
 * @property {string} opened name under which it was opened, for a drawing that has no name of its own
 * @property {string | null} file name of the file on disk that Save writes; null if there is none
 * @property {string} saved the text as last saved or opened
 * @property {ReadonlySet<number | string>} selection ids of shapes, and "start", "goal", "bounds"
 * @property {string} tool
 * @property {{x: number, y: number, scale: number}} view centre of the stage in mm, pixels per mm
 * @property {import("./text.js").Unit} unit shown in the panels
 * @property {boolean} snap whether dragging snaps to the grid and to corners
 * @property {Check | null} check
 * @property {Tube | null} tube
 * @property {Background | null} background
 * @property {PlanOptions | null} options of the next plan; null until they are known
 * @property {string} panel the open panel: "draw", "tube", "plan", "look", "trust", "make"
 * @property {PlanState} plan
 * @property {RunView | null} run the run that is shown
 * @property {string} design id of the design that is shown
 * @property {string | null} other id of the design to compare it with
 * @property {RunView | null} compared the run with which the run that is shown is compared
 * @property {Growth[]} growths of the shown designs
 * @property {number} time grown length that the film shows [mm]; Infinity for the end
 * @property {TrialsState | null} trials
 * @property {PackView | null} pack
 * @property {BuiltView | null} built what was measured of the run; null until it is known
 * @property {Learning | null} learning
 * @property {Adapting | null} adapting
 * @property {string} message one line at the bottom: the last error or note
 * @property {Known} known what the server offers
 *
 * @typedef {object} Known
 * @property {string} version
 * @property {{name: string, description: string, content: Content, text: string}[]} environments
 * @property {{name: string, description: string, tube: Tube}[]} tubes
 * @property {TubeKey[]} tubeKeys
 * @property {{name: string, numbers: Record<string, number | [number, number]>}[]} errors presets
 * @property {{name: string, unit: string, most: number, meaning: string}[]} errorKeys
 * @property {string[]} propagators
 * @property {Record<string, PlanOption>} planOptions by name, in the order of the list of all options
 *
 * @typedef {object} PlanOption
 * An option of a plan, as `planner.plan.options` lists it.
 * @property {string} label
 * @property {string} group heading above it
 * @property {"bool" | "int" | "float" | "str"} type
 * @property {boolean | number | string | null} default null if it need not be given
 * @property {string} implied what holds if it is not given, in a word
 * @property {string} help
 * @property {number | null} least
 * @property {number | null} most
 * @property {number | null} above value that it must exceed
 * @property {string} unit
 * @property {string} flag its name on the command line
 * @property {string[]} choices values that can be chosen; empty if any can be typed
 */
export {};
