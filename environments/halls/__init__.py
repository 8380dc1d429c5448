"""Seeded random maps of halls, as robots measure them: corridors with rooms, warehouse racks, caves and race tracks."""
