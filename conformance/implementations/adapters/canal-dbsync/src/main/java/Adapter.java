import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.taobao.tddl.dbsync.binlog.FileLogFetcher;
import com.taobao.tddl.dbsync.binlog.LogContext;
import com.taobao.tddl.dbsync.binlog.LogDecoder;
import com.taobao.tddl.dbsync.binlog.LogEvent;
import com.taobao.tddl.dbsync.binlog.LogPosition;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Adapter for canal's dbsync: its {@link FileLogFetcher} and {@link LogDecoder}, given whole streams. Only what the
 * library returns is reported; see README.md and docs/protocol.md.
 */
public final class Adapter {
  private static final List<String> HEADER =
      List.of("offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled");
  private static final List<String> PROFILES = List.of("mysql < 8.4", "mariadb");
  private static final String LIBRARY_PROPERTIES =
      "/META-INF/maven/com.alibaba.otter/canal.parse.dbsync/pom.properties";
  private static final int MAGIC_BYTES = 4;
  private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  /** A request of the kit; Gson sets the members that are there. */
  private static final class Request {
    String cmd;
    long seq;
    String stream;
    String path;
    long offset;
    int length;

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

  private Adapter() {}

  public static void main(String[] arguments) throws IOException {
    PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    System.setOut(System.err); // The library's own output must not be taken for an answer.
    Path file = Files.createTempFile("binlog", ".000001");
    file.toFile().deleteOnExit();
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      Request request = GSON.fromJson(line, Request.class);
      if (request.cmd.equals("stop")) {
        return;
      }
      answers.print(GSON.toJson(request.cmd.equals("start") ? declaration() : answer(request, file)) + "\n");
      answers.flush();
    }
  }

  private static Map<String, Object> declaration() throws IOException {
    List<String> fields = new ArrayList<>(HEADER);
    fields.addAll(EventFields.names());
    return Map.of(
        "protocol", 1,
        "implementation",
            Map.of(
                "name", "canal-dbsync",
                "version", libraryVersion(),
                "language", "Java",
                "homepage", "https://github.com/alibaba/canal"),
        "roles",
            Map.of("decode", Map.of("fields", fields, "abilities", List.of("framing"), "profiles", PROFILES)));
  }

  /** The library does not report its version, but its jar has Maven's properties. */
  private static String libraryVersion() throws IOException {
    Properties properties = new Properties();
    try (InputStream file = LogDecoder.class.getResourceAsStream(LIBRARY_PROPERTIES)) {
      properties.load(file);
    }
    return properties.getProperty("version");
  }

  private static Map<String, Object> answer(Request request, Path file) throws IOException {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("seq", request.seq);
    if (!request.cmd.equals("decode")) {
      answer.put("unsupported", "the role " + request.cmd + " is not supported");
      return answer;
    }
    List<Map<String, Object>> events = new ArrayList<>();
    answer.put("events", events);
    answer.put("error", null);
    Files.write(file, request.bytes());
    try {
      answer.put("error", decode(file, events));
    } catch (Error failure) { // The virtual machine's, such as a lack of memory: a crash, with the events before it.
      answer.put("crash", failure.toString());
    }
    return answer;
  }

  /** Adds the events that the library returns, and returns the error that it stops with, or null. */
  private static Map<String, Object> decode(Path file, List<Map<String, Object>> events) throws IOException {
    FileLogFetcher fetcher = new FileLogFetcher();
    try {
      fetcher.open(file.toFile());
    } catch (IOException | RuntimeException refusal) {
      return error("not-a-binlog", refusal);
    }
    LogDecoder decoder = new LogDecoder(LogEvent.UNKNOWN_EVENT, LogEvent.ENUM_END_EVENT);
    LogContext context = new LogContext();
    context.setLogPosition(new LogPosition(file.getFileName().toString()));
    int offset = MAGIC_BYTES;
    try {
      while (fetcher.fetch()) {
        for (LogEvent event = decoder.decode(fetcher, context); event != null; event = decoder.decode(fetcher, context)) {
          events.add(EventFields.of(event, offset));
          offset += event.getEventLen();
        }
      }
    } catch (IOException | RuntimeException refusal) {
      return error("malformed", refusal);
    } finally {
      fetcher.close();
    }
    return null;
  }

  /** The library does not report where it stopped, and has no kinds of error. */
  private static Map<String, Object> error(String kind, Exception refusal) {
    Map<String, Object> error = new HashMap<>();
    error.put("at", null);
    error.put("kind", kind);
    error.put("message", refusal.getCause() == null ? refusal.toString() : refusal + ": " + refusal.getCause());
    return error;
  }
}
