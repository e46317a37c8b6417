// An adapter for go-mysql, see ../../protocol.md: its parser of binary logs, asked for whole streams.
//
// The stream is put into a file for the library's ParseFile, so that the magic number, framing, format description and
// checksums are the library's. Checksums it verifies only when told to, and here it is told to. It does not say where
// an event starts: that is where the events that it handed out before end. It does not say either where it was when it
// failed, so `error_at` is not declared. An event without a type of its own in the library comes as a GenericEvent, its
// bytes as they stand: those are `ignored`. `file_id` and `block_data` are left out, as Append_block is one of them.
//
//	go build -o go-mysql-adapter .
//	binlog-conformance certify command:./go-mysql-adapter --memory 0 --answer-time 1s
//
// Go reserves more memory than it uses. The library reads rows without end where their post-header is longer, some
// gigabytes in ten seconds, which is the time for an answer unless another is given.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-mysql-org/go-mysql/replication"
)

const library = "github.com/go-mysql-org/go-mysql"

// Characters of a message that are kept: the library's own hold whole events.
const messageSize = 300

type object = map[string]any

var fields = []string{
	"offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled",
	"binlog_version", "server_version", "created", "event_types", "checksum_algorithm",
	"thread_id", "exec_time", "error_code", "database", "query", "xid", "next_position", "next_file",
	"gtid", "gtid_flags", "last_committed", "sequence_number", "immediate_commit_timestamp",
	"original_commit_timestamp", "transaction_length", "immediate_server_version", "original_server_version",
	"previous_gtids", "rows_query", "intvar_type", "intvar_value", "table_id", "table", "column_count",
	"rows_flags", "rows", "file_name_start", "file_name_end", "duplicate_handling",
	"log_name", "log_position", "compression_type", "uncompressed_size", "payload_size",
	"mariadb_gtid_flags", "commit_id", "gtid_list",
}

var profiles = []string{
	"worklog", "mysql-5.1", "mysql-5.5", "mysql-5.6", "mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x",
	"mariadb-10.x", "mariadb-11.x",
}

// What the library's messages mean; it has no error values for them.
var kinds = []struct{ words, kind string }{
	{"is not a valid binlog file", "not-a-binlog"},
	{"get event header err", "truncated"},
	{"get event err", "truncated"},
	{"invalid event header", "invalid-length"},
	{"invalid event size", "invalid-length"},
	{"checksum mismatch", "checksum"},
}

type question struct {
	Cmd     string
	Seq     int
	Profile string
	Stream  []byte
	Path    string
	Offset  int64
	Length  int64
}

func main() {
	out := os.Stdout
	os.Stdout = os.Stderr // What the library prints is no answer.
	if err := serve(os.Stdin, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers the questions, one a line, until there are no more.
func serve(in io.Reader, out io.Writer) error {
	file, err := os.CreateTemp("", "stream-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var asked question
		if err := json.Unmarshal(line, &asked); err != nil {
			return err
		}
		var answer object
		switch asked.Cmd {
		case "start":
			answer = declaration()
		case "stop":
			return nil
		case "decode":
			if err := save(asked, file); err != nil {
				return err
			}
			events, failure := decode(file.Name(), asked.Profile)
			answer = object{"seq": asked.Seq, "events": events, "error": failure}
		default:
			answer = object{"seq": asked.Seq, "unsupported": "no role " + asked.Cmd}
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
}

func declaration() object {
	implementation := object{
		"name": "go-mysql", "version": "unknown", "language": "Go", "homepage": "https://" + library,
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == library {
				implementation["version"] = strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	decode := object{"fields": fields, "abilities": []string{"framing", "checksums"}, "profiles": profiles}
	return object{"protocol": 1, "implementation": implementation, "roles": object{"decode": decode}}
}

// save makes a stream what the file holds.
func save(asked question, file *os.File) error {
	stream := asked.Stream
	if asked.Path != "" {
		source, err := os.Open(asked.Path)
		if err != nil {
			return err
		}
		defer source.Close()
		stream = make([]byte, asked.Length)
		if _, err := source.ReadAt(stream, asked.Offset); err != nil {
			return err
		}
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt(stream, 0)
	return err
}

// decode returns the events that the library hands out, and the error or the panic that it ends with, or nil.
func decode(name, profile string) (events []object, failure any) {
	events = []object{}
	defer func() {
		if reason := recover(); reason != nil {
			failure = object{"at": nil, "kind": "other", "message": shortened(fmt.Sprint("panic: ", reason))}
		}
	}()
	parser := replication.NewBinlogParser()
	parser.SetVerifyChecksum(true)
	parser.SetTimestampStringLocation(time.UTC)
	if strings.HasPrefix(profile, "mariadb") {
		parser.SetFlavor("mariadb")
	}
	offset := len(replication.BinLogFileHeader)
	err := parser.ParseFile(name, 0, func(event *replication.BinlogEvent) error {
		events = append(events, reported(event, offset))
		offset += len(event.RawData)
		return nil
	})
	if err != nil {
		kind, message := refusal(err)
		failure = object{"at": nil, "kind": kind, "message": shortened(message)}
	}
	return events, failure
}

// refusal returns the kind of an error and its message, without the event that the library puts into it.
func refusal(err error) (kind, message string) {
	var refused *replication.EventError
	if errors.As(err, &refused) {
		return "malformed", refused.Err
	}
	for _, known := range kinds {
		if strings.Contains(err.Error(), known.words) {
			return known.kind, err.Error()
		}
	}
	return "other", err.Error()
}

func shortened(message string) string {
	return message[:min(len(message), messageSize)]
}

func reported(event *replication.BinlogEvent, offset int) object {
	header := event.Header
	handled := "known"
	if _, generic := event.Event.(*replication.GenericEvent); generic {
		handled = "ignored"
	}
	said := object{
		"offset": offset, "type": header.EventType, "timestamp": header.Timestamp, "server_id": header.ServerID,
		"length": header.EventSize, "log_pos": header.LogPos, "flags": header.Flags, "handled": handled,
	}
	maps.Copy(said, fieldsOf(header, event.Event))
	return said
}
