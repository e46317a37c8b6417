//go:build !before_1_12

package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
)

const (
	replicaID = 4244
	// How often the syncer tries to reach a source that is gone.
	attempts = 3
	// The words with which the syncer logs that the source has no more, which it reports in no other way.
	endOfDump = "receive EOF packet"
)

func init() {
	answers["client"] = func(req request, _ string) object { return delivered(req.Profile, req.Settings) }
	roles["client"] = object{
		"fields": []string{
			"type", "log_pos", "timestamp", "server_id", "flags", "query", "resume_log", "resume_pos", "executed_gtids",
		},
		"abilities": []string{"error_code"}, "profiles": profiles,
	}
}

// client collects what the library's BinlogSyncer hands to its handler.
type client struct {
	syncer *replication.BinlogSyncer
	events []object
	// The GTIDs that the library last handed over with an event, or those asked for; nil for a client by position.
	gtids mysql.GTIDSet
}

// HandleEvent is called by the syncer after it has counted the event.
func (c *client) HandleEvent(event *replication.BinlogEvent) error {
	header := event.Header
	fields := object{
		"type": header.EventType, "log_pos": header.LogPos, "timestamp": header.Timestamp,
		"server_id": header.ServerID, "flags": header.Flags,
	}
	if query, ok := event.Event.(*replication.QueryEvent); ok {
		fields["query"] = string(query.Query)
	}
	c.count(event.Event)
	c.events = append(c.events, c.placed(fields))
	return nil
}

// count takes the GTIDs that the library hands over with an event, or with one in a payload.
func (c *client) count(event replication.Event) {
	switch e := event.(type) {
	case *replication.XIDEvent:
		c.take(e.GSet)
	case *replication.QueryEvent:
		c.take(e.GSet)
	case *replication.TransactionPayloadEvent:
		for _, each := range e.Events {
			c.count(each.Event)
		}
	}
}

func (c *client) take(gtids mysql.GTIDSet) {
	if gtids != nil {
		c.gtids = gtids
	}
}

// placed adds where the client would resume.
func (c *client) placed(fields object) object {
	if c.gtids != nil {
		fields["executed_gtids"] = c.gtids.String()
		return fields
	}
	place := c.syncer.GetNextPosition()
	fields["resume_log"], fields["resume_pos"] = place.Name, place.Pos
	return fields
}

// ending is a handler of the library's log that cancels a context at the end of a dump.
type ending struct {
	slog.Handler
	cancel context.CancelFunc
}

func (e ending) Enabled(context.Context, slog.Level) bool { return true }

func (e ending) Handle(_ context.Context, record slog.Record) error {
	if strings.HasPrefix(record.Message, endOfDump) {
		e.cancel()
	}
	return nil
}

// delivered returns the answer: what a syncer hands over of the source that the settings name, as its users start it.
func delivered(profile string, settings settings) object {
	ended, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &client{events: []object{}}
	config := replication.BinlogSyncerConfig{
		ServerID: replicaID, Flavor: flavour(profile), Host: settings.Host, Port: settings.Port,
		User: settings.User, Password: settings.Password,
		VerifyChecksum: true, MaxReconnectAttempts: attempts, SynchronousEventHandler: c,
		Logger: slog.New(ending{slog.DiscardHandler, cancel}),
	}
	if settings.HeartbeatSeconds != nil {
		config.HeartbeatPeriod = time.Duration(*settings.HeartbeatSeconds) * time.Second
	}
	c.syncer = replication.NewBinlogSyncer(config)
	streamer, err := c.start(config.Flavor, settings)
	if err == nil {
		// With a handler the streamer has nothing but the error with which the syncer ends.
		_, err = streamer.GetEvent(ended)
	}
	c.syncer.Close()
	answer := object{"events": c.events, "error": nil}
	if err != nil && !errors.Is(err, context.Canceled) {
		answer["error"] = failure(err)
		return answer
	}
	c.events = append(c.events, c.placed(object{"type": nil, "log_pos": 0}))
	answer["events"] = c.events
	return answer
}

func (c *client) start(flavour string, settings settings) (*replication.BinlogStreamer, error) {
	if settings.GtidSet == nil {
		return c.syncer.StartSync(mysql.Position{Name: settings.LogName, Pos: settings.LogPos})
	}
	asked, err := mysql.ParseGTIDSet(flavour, *settings.GtidSet)
	if err != nil {
		return nil, err
	}
	c.gtids = asked.Clone() // The syncer keeps the one that it is given, and changes it.
	return c.syncer.StartSyncGTID(asked)
}

// failure returns an error of the library, with the number that servers give it.
func failure(err error) object {
	kind, message := refusal(err)
	shown := object{"at": nil, "kind": kind, "message": shortened(message)}
	var refused *mysql.MyError
	if errors.As(err, &refused) {
		shown["code"] = refused.Code
	}
	return shown
}
