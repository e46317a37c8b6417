import com.github.shyiko.mysql.binlog.BinaryLogFileReader;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer.CompatibilityMode;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Adapter for mysql-binlog-connector-java: its public {@link BinaryLogFileReader}, given whole streams, and its client
 * of a source. Only what the library returns is reported; see README.md and docs/protocol.md.
 */
public final class Adapter {
  private static final List<String> HEADER =
      List.of("offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled");
  private static final String PARSER_PROPERTIES =
      "/META-INF/maven/com.zendesk/mysql-binlog-connector-java/pom.properties";
  /** How long an answer may be, in bytes, and how much longer for each byte of the stream: docs/protocol.md. */
  private static final long ANSWER_BYTES = 4 << 20;
  private static final long ANSWER_FOR_BYTE = 64;
  private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping()
      .registerTypeAdapter(RowValues.Document.class, RowValues.Document.AS_IT_IS).create();

  /** A request of the kit; Gson sets the members that are there. */
  private static final class Request {
    String cmd;
    long seq;
    String stream;
    String path;
    long offset;
    int length;
    Client.Settings settings;

    byte[] bytes() throws IOException {
      if (stream != null) {
        return Base64.getDecoder().decode(stream);
      }
      try (InputStream file = new FileInputStream(path)) {
        file.skipNBytes(offset);
        return file.readNBytes(length);
      }
    }
  }

  /** Counts the bytes that the library reads: before it reads an event, that is the event's offset. */
  private static final class Stream extends ByteArrayInputStream {
    Stream(byte[] bytes) {
      super(bytes);
    }

    int position() {
      return pos;
    }
  }

  private Adapter() {}

  public static void main(String[] arguments) throws IOException {
    PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    System.setOut(System.err); // The library's own output must not be taken for an answer.
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      Request request = GSON.fromJson(line, Request.class);
      if (request.cmd.equals("stop")) {
        return;
      }
      answers.print(text(request) + "\n");
      answers.flush();
    }
  }

  /** The text of an answer, which ends with an exception where it is longer than it may be, before the rest is copied. */
  private static final class Text extends StringWriter {
    private final long most;

    Text(long most) {
      this.most = most;
    }

    @Override
    public void write(char[] text, int start, int length) {
      require(length);
      super.write(text, start, length);
    }

    @Override
    public void write(String text, int start, int length) {
      require(length);
      super.write(text, start, length);
    }

    private void require(int more) {
      if (getBuffer().length() + more > most) {
        throw new TooLong();
      }
    }
  }

  private static final class TooLong extends RuntimeException {}

  private static String text(Request request) throws IOException {
    if (!request.cmd.equals("decode")) {
      return GSON.toJson(request.cmd.equals("start") ? declaration() : answer(request));
    }
    Text text = new Text(ANSWER_BYTES + ANSWER_FOR_BYTE * request.bytes().length);
    try {
      GSON.toJson(answer(request), text);
      return text.toString();
    } catch (TooLong longer) {
      return GSON.toJson(
          Map.of("seq", request.seq, "unsupported", "documents that are longer in text than an answer may be"));
    }
  }

  private static Map<String, Object> declaration() throws IOException {
    List<String> fields = new ArrayList<>(HEADER);
    fields.addAll(EventFields.names());
    List<String> profiles = new ArrayList<>(List.of("mysql < 9.0"));
    if (fields.contains("mariadb_gtid_flags")) { // Since 0.26 the library claims to support MariaDB too.
      profiles.add("mariadb");
    }
    List<String> abilities = new ArrayList<>(List.of("framing"));
    if (fields.contains("payload_size")) { // It opens payloads since it has a class for them.
      abilities.add("payloads");
    }
    return Map.of(
        "protocol", 1,
        "implementation",
            Map.of(
                "name", "mysql-binlog-connector-java",
                "version", parserVersion(),
                "language", "Java",
                "homepage", "https://github.com/osheroff/mysql-binlog-connector-java"),
        "roles",
            Map.of(
                "decode",
                Map.of("fields", fields, "abilities", abilities, "profiles", profiles),
                "client",
                Map.of("fields", Client.FIELDS, "abilities", List.of("error_code"), "profiles", profiles)));
  }

  /** The library does not report its version, but its jar has Maven's properties. */
  private static String parserVersion() throws IOException {
    Properties properties = new Properties();
    try (InputStream file = BinaryLogFileReader.class.getResourceAsStream(PARSER_PROPERTIES)) {
      properties.load(file);
    }
    return properties.getProperty("version");
  }

  private static Map<String, Object> answer(Request request) throws IOException {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("seq", request.seq);
    if (!request.cmd.equals("decode") && !request.cmd.equals("client")) {
      answer.put("unsupported", "the role " + request.cmd + " is not supported");
      return answer;
    }
    List<Map<String, Object>> events = new ArrayList<>();
    answer.put("events", events);
    answer.put("error", null);
    try {
      if (request.cmd.equals("client")) {
        answer.put("error", Client.deliver(request.settings, events));
      } else {
        answer.put("error", decode(new Stream(request.bytes()), events));
      }
    } catch (Error failure) { // The virtual machine's, such as a lack of memory: a crash, with the events before it.
      answer.put("crash", failure.toString());
    }
    return answer;
  }

  /** Adds the events that the library returns, and returns the error that it stops with, or null. */
  private static Map<String, Object> decode(Stream stream, List<Map<String, Object>> events) {
    // Without these modes bytes of strings that are not UTF-8, and microseconds, are lost.
    EventDeserializer deserializer = new EventDeserializer();
    deserializer.setCompatibilityMode(
        CompatibilityMode.CHAR_AND_BINARY_AS_BYTE_ARRAY, CompatibilityMode.DATE_AND_TIME_AS_LONG_MICRO);
    EventFields fields = new EventFields();
    BinaryLogFileReader reader;
    try {
      reader = new BinaryLogFileReader(stream, deserializer);
    } catch (IOException refusal) {
      return error("not-a-binlog", refusal);
    }
    while (true) {
      int offset = stream.position();
      Event event;
      try {
        event = reader.readEvent();
      } catch (IOException | RuntimeException refusal) {
        return error(kind(refusal), refusal);
      }
      if (event == null) {
        return null;
      }
      events.add(fields.of(event, offset));
    }
  }

  /** The library does not report where it stopped. */
  private static Map<String, Object> error(String kind, Exception refusal) {
    Map<String, Object> error = new HashMap<>();
    error.put("at", null);
    error.put("kind", kind);
    error.put("message", refusal.getCause() == null ? refusal.toString() : refusal + ": " + refusal.getCause());
    return error;
  }

  /** The library has no kinds of error; 0.23 reports an unknown type in its message only. */
  private static String kind(Exception refusal) {
    if (refusal instanceof EOFException || refusal.getCause() instanceof EOFException) {
      return "truncated";
    }
    return String.valueOf(refusal.getMessage()).startsWith("Unknown event type") ? "unknown-event" : "malformed";
  }
}
