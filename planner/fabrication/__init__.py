"""From a design to what a workshop needs: cut list, patterns at true size, brackets, pressures."""
