//go:build !before_1_12 && !before_1_14

package main

import "github.com/go-mysql-org/go-mysql/replication"

func init() {
	readers = append(readers, heartbeatFields)
	fields = append(fields, "log_position")
}

func heartbeatFields(_ *replication.EventHeader, event replication.Event) object {
	e, ok := event.(*replication.HeartbeatEvent)
	if !ok {
		return nil
	}
	fields := object{"log_name": e.Filename}
	if e.Version == 2 { // The first version of the event has no position.
		fields["log_position"] = e.Offset
	}
	return fields
}
