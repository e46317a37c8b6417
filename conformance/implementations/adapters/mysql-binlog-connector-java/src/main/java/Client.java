import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.QueryEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDataDeserializationException;
import com.github.shyiko.mysql.binlog.network.ServerException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The library's {@link BinaryLogClient} on the source of a question. Where the connection is lost, the same client
 * connects again, as that of users does who turn its keep-alive thread off.
 */
final class Client extends BinaryLogClient {
  static final List<String> FIELDS =
      List.of(
          "type", "log_pos", "timestamp", "server_id", "flags", "query", "resume_log", "resume_pos", "executed_gtids");

  private static final long REPLICA_ID = 4245;
  /** How often the client connects to a source that delivers nothing more. */
  private static final int TRIES = 3;

  /** The settings of a question; Gson sets them. */
  static final class Settings {
    String host;
    int port;
    String user;
    String password;
    String log_name;
    long log_pos;
    String gtid_set;
    Long heartbeat_seconds;
  }

  private final boolean hasGtids;
  private final List<Map<String, Object>> events;
  /** The entry of the last event: the library moves its position only after it has delivered the event. */
  private Map<String, Object> last;
  private Exception failure;
  /** How the library failed to read an event that came over the last connection: it takes that for a lost one. */
  private String unread;
  /** Whether the source has sent everything. */
  private boolean hasEnded;

  private Client(Settings settings, List<Map<String, Object>> events) {
    super(settings.host, settings.port, settings.user, settings.password);
    this.events = events;
    hasGtids = settings.gtid_set != null;
    setServerId(REPLICA_ID);
    setBlocking(false);
    setKeepAlive(false);
    if (hasGtids) {
      setGtidSet(settings.gtid_set);
    } else {
      setBinlogFilename(settings.log_name);
      setBinlogPosition(settings.log_pos);
    }
    if (settings.heartbeat_seconds != null) {
      setHeartbeatInterval(settings.heartbeat_seconds * 1000);
    }
    registerEventListener(this::receive);
    registerLifecycleListener(new Failures());
  }

  /** Adds what the library delivers, and where it then is; returns the error that it ends with, or null. */
  static Map<String, Object> deliver(Settings settings, List<Map<String, Object>> events) {
    Client client;
    try {
      client = new Client(settings, events);
    } catch (RuntimeException refusal) { // A GTID set that the library cannot read.
      return error(refusal);
    }
    int before = -1;
    try {
      for (int tries = 0; !client.hasEnded && client.failure == null && tries < TRIES; ) {
        client.connect(); // It returns when the connection ends.
        tries = events.size() > before ? 0 : tries + 1;
        before = events.size();
      }
    } catch (IOException | RuntimeException refusal) {
      client.failure = refusal;
    }
    client.place();
    if (client.failure != null) {
      return error(client.failure);
    }
    client.add(null, 0);
    client.place();
    return null;
  }

  /** The library calls this itself where the source has no more, and not where the connection is lost. */
  @Override
  public void disconnect() throws IOException {
    hasEnded = true;
    super.disconnect();
  }

  private void receive(Event event) {
    place();
    EventHeaderV4 header = event.getHeader();
    // The code of a type that the library does not know is lost, and null here.
    add(EventFields.code(header.getEventType()), header.getNextPosition());
    last.put("timestamp", header.getTimestamp() / 1000);
    last.put("server_id", header.getServerId());
    last.put("flags", header.getFlags());
    if (event.getData() instanceof QueryEventData query) {
      last.put("query", query.getSql());
    }
    if (hasGtids) {
      last.put("executed_gtids", getGtidSet());
    }
  }

  private void add(Integer code, long logPos) {
    last = new TreeMap<>();
    last.put("type", code);
    last.put("log_pos", logPos);
    events.add(last);
  }

  /** Completes the last entry with where the library is now. */
  private void place() {
    if (last == null) {
      return;
    }
    if (hasGtids) {
      last.putIfAbsent("executed_gtids", getGtidSet());
    } else {
      last.putIfAbsent("resume_log", getBinlogFilename());
      last.putIfAbsent("resume_pos", getBinlogPosition());
    }
  }

  private static Map<String, Object> error(Exception failure) {
    Map<String, Object> error = new HashMap<>();
    error.put("at", null);
    error.put("kind", "other");
    error.put("message", failure.toString());
    if (failure instanceof ServerException refusal) {
      error.put("code", refusal.getErrorCode());
    }
    return error;
  }

  /**
   * Keeps the error with which the source refuses the client, and one at an event that the library fails to read each
   * time that it is sent; the library does not return them.
   */
  private final class Failures extends BinaryLogClient.AbstractLifecycleListener {
    @Override
    public void onCommunicationFailure(BinaryLogClient client, Exception exception) {
      if (exception instanceof ServerException || exception.toString().equals(unread)) {
        failure = exception;
      }
      unread = exception instanceof EventDataDeserializationException ? exception.toString() : null;
    }
  }
}
