"""Error of the walls of imports: floors of known walls, written as robot maps, CAD plans, floor-plan drawings and indoor maps, and read."""
