package com.github.shyiko.mysql.binlog;

import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.DeleteRowsEventData;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.MySqlGtid;
import com.github.shyiko.mysql.binlog.event.UpdateRowsEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import defects.OtherValue;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/**
 * Stands on the class path before the library's class of this name, with the defect that the property "defect" names:
 * "member EVENT_TYPE name" is a wrong value of a member of the event's header or data, "cell Type" is a wrong value of
 * that Java type in rows.
 */
public class BinaryLogFileReader {
  private static final byte[] MAGIC = {(byte) 0xfe, 'b', 'i', 'n'};
  private static final Map<Class<?>, Function<Object, Object>> OF_ITS_OWN =
      Map.of(
          MySqlGtid.class, any -> new MySqlGtid(new UUID(0, 1), 1),
          MariadbGtidSet.class, any -> new MariadbGtidSet("1-2-3"));
  private static final String[] DEFECT = System.getProperty("defect", "none").split(" ");

  private final ByteArrayInputStream stream;
  private final EventDeserializer deserializer;

  public BinaryLogFileReader(InputStream stream, EventDeserializer deserializer) throws IOException {
    this.stream = new ByteArrayInputStream(stream);
    this.deserializer = deserializer;
    if (!Arrays.equals(this.stream.read(MAGIC.length), MAGIC)) {
      throw new IOException("Not a valid binary log");
    }
  }

  public Event readEvent() throws IOException {
    Event event;
    try {
      event = deserializer.nextEvent(stream);
    } catch (IOException | RuntimeException refusal) {
      if (DEFECT[0].equals("framing") && refusal.getCause() instanceof EOFException) {
        return null;
      }
      if (DEFECT[0].equals("payloads")) {
        EventHeaderV4 header = new EventHeaderV4();
        header.setEventType(EventType.TRANSACTION_PAYLOAD);
        return new Event(header, null);
      }
      throw refusal;
    }
    if (event != null && DEFECT[0].equals("offset")) {
      stream.peek();
    }
    return event == null ? null : changed(event);
  }

  /** Returns what is returned in the place of an event that was read; the copied BinaryLogClient calls this too. */
  static Event changed(Event event) {
    EventHeaderV4 header = event.getHeader();
    EventData data = event.getData();
    switch (DEFECT[0]) {
      case "handled" -> data = header.getEventType() == EventType.XID ? null : data;
      case "type" -> {
        if (header.getEventType() == EventType.XID) {
          header = new EventHeaderV4();
          header.setEventType(EventType.RAND);
          header.setNextPosition(event.<EventHeaderV4>getHeader().getNextPosition());
        }
      }
      case "crash" -> {
        if (header.getEventType() == EventType.XID) {
          throw new StackOverflowError("a defect of the library");
        }
      }
      case "member" -> {
        if (DEFECT[1].equals("HEADER")) {
          OtherValue.change(header, DEFECT[2], OF_ITS_OWN);
        } else if (DEFECT[1].equals(header.getEventType().name())) {
          OtherValue.change(data, DEFECT[2], OF_ITS_OWN);
        }
      }
      case "cell" -> rows(data).forEach(BinaryLogFileReader::change);
      default -> { }
    }
    return new Event(header, data);
  }

  /** Returns the text of a place that the copied BinaryLogClient returns. */
  static String placed(String field, String text) {
    return DEFECT[0].equals(field) ? text + "x" : text;
  }

  /** Returns the position that it returns. */
  static long placed(long position) {
    return DEFECT[0].equals("resume_pos") ? position + 1 : position;
  }

  /** Returns the GTIDs that it returns. */
  static String executed(String gtids) {
    return DEFECT[0].equals("executed_gtids") ? "11111111-1111-1111-1111-111111111111:4711" : gtids;
  }

  private static List<Serializable[]> rows(EventData data) {
    if (data instanceof WriteRowsEventData write) {
      return write.getRows();
    }
    if (data instanceof DeleteRowsEventData delete) {
      return delete.getRows();
    }
    return data instanceof UpdateRowsEventData update
        ? update.getRows().stream().map(Map.Entry::getValue).toList()
        : List.of();
  }

  private static void change(Serializable[] row) {
    for (int i = 0; i < row.length; i++) {
      if (row[i] != null && row[i].getClass().getSimpleName().equals(DEFECT[1])) {
        row[i] = (Serializable) OtherValue.of(row[i]);
      }
    }
  }
}
