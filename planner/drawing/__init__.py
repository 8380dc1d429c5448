"""Pictures: plans, environments and animations."""
