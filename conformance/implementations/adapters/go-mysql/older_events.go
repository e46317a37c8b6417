//go:build go_mysql_1_10

package main

import "github.com/go-mysql-org/go-mysql/replication"

func newerFields(replication.EventType, replication.Event) object { return nil }
