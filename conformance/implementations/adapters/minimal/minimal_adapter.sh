#!/bin/sh
# A complete adapter in POSIX shell: it reports the offsets, types, lengths and end positions of events.
# Any program that can read lines can be certified; see docs/protocol.md.
set -eu

# Reads the bytes of a stream as decimal numbers and prints the events and the error as JSON.
decode() {
    od -An -v -tu1 | awk -v seq="$1" '
        function number(at, size,   value) {
            for (value = 0; size > 0; size--) value = value * 256 + byte[at + size - 1]
            return value
        }
        function refuse(at, kind, message) {
            error = sprintf("{\"at\":%d,\"kind\":\"%s\",\"message\":\"%s\"}", at, kind, message)
        }
        { for (i = 1; i <= NF; i++) byte[count++] = $i }
        END {
            error = ""
            if (count < 4 || byte[0] != 254 || byte[1] != 98 || byte[2] != 105 || byte[3] != 110)
                refuse(0, "not-a-binlog", "bad magic number")
            for (at = 4; at < count && error == ""; at += size) {
                size = number(at + 9, 4)
                if (count - at < 19 || size > count - at) refuse(at, "truncated", "an event is cut short")
                else if (size < 19) refuse(at, "invalid-length", "an event is shorter than its header")
                else events = events (events == "" ? "" : ",") sprintf("{\"offset\":%d,\"type\":%d,\"length\":%.0f,\"log_pos\":%.0f}",
                    at, byte[at + 4], size, number(at + 13, 4))
            }
            printf "{\"seq\":%s,\"events\":[%s],\"error\":%s}\n", seq, events, error == "" ? "null" : error
        }'
}

# Prints the value of a field of a request; requests have no escapes, except in unusual paths.
field() {
    printf '%s\n' "$line" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"
}

while IFS= read -r line; do
    case $(field cmd) in
    start)
        printf '%s%s%s\n' '{"protocol":1,"implementation":{"name":"minimal","version":"1","language":"sh"},' \
            '"roles":{"decode":{"fields":["offset","type","length","log_pos"],"abilities":["framing","error_at"],' \
            '"profiles":["mysql >= 5.6"]}}}'
        ;;
    decode)
        case $line in
        *'"stream":'*) field stream | base64 -d | decode "$(field seq)" ;;
        *) tail -c "+$(($(field offset) + 1))" "$(field path)" | head -c "$(field length)" | decode "$(field seq)" ;;
        esac
        ;;
    stop) exit 0 ;;
    esac
done
