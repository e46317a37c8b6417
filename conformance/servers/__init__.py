"""Real servers: starting unpacked ones, running scenarios on them, feeding their relay logs, reading their logs."""
