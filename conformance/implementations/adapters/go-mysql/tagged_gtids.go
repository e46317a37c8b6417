//go:build !before_1_12

package main

import "github.com/go-mysql-org/go-mysql/replication"

func init() { readers = append(readers, taggedGtidFields) }

func taggedGtidFields(_ *replication.EventHeader, event replication.Event) object {
	if e, ok := event.(*replication.GtidTaggedLogEvent); ok {
		return gtidFields(&e.GTIDEvent)
	}
	return nil
}
