"""One tube for several environments: the same sections everywhere, with other actuators under pressure."""
