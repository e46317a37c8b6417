//go:build before_0_23

package main

import "vitess.io/vitess/go/mysql"

func (r *reader) gtid(event mysql.BinlogEvent, reported object) error {
	gtid, _, err := event.GTID(r.format)
	if err == nil {
		reported["gtid"] = gtid.String()
	}
	return err
}
