package com.taobao.tddl.dbsync.binlog;

import com.alibaba.otter.canal.parse.driver.mysql.packets.MariaGTIDSet;
import com.alibaba.otter.canal.parse.driver.mysql.packets.MariaGtid;
import com.taobao.tddl.dbsync.binlog.event.UnknownLogEvent;
import defects.OtherValue;
import java.util.Map;
import java.util.function.Function;

/**
 * Defects for a copy of canal's dbsync, which calls this class: the one that the property "defect" names. "header NAME"
 * is a wrong value of a member of each event's header, "CODE NAME" of a member of the events of one type.
 */
final class LogDefects {
  private static final Map<Class<?>, Function<Object, Object>> OF_ITS_OWN =
      Map.of(
          LogBuffer.class, any -> new LogBuffer(new byte[0], 0, 0),
          MariaGtid.class, any -> new MariaGtid(1, 2, 3),
          MariaGTIDSet.class, any -> new MariaGTIDSet());
  private static final Map<Class<?>, Function<Object, Object>> ALGORITHMS =
      Map.of(Integer.class, algorithm -> algorithm.equals(1) ? 0 : 1);
  private static final String[] DEFECT = System.getProperty("defect", "none").split(" ");

  private LogDefects() {}

  static boolean is(String name) {
    return DEFECT[0].equals(name);
  }

  /** Returns what is returned in the place of an event that was read, null for nothing. */
  static LogEvent returned(LogEvent event) {
    int type = event.getHeader().getType();
    if (is("header")) {
      OtherValue.change(event.getHeader(), DEFECT[1], OF_ITS_OWN);
    } else if (is("type") && type == LogEvent.QUERY_EVENT) {
      OtherValue.change(event.getHeader(), "type", OF_ITS_OWN); // That of a Stop event, which has no fields to miss.
    } else if (is("checksum_algorithm") && type == LogEvent.FORMAT_DESCRIPTION_EVENT) {
      OtherValue.change(event.getHeader(), "checksumAlg", ALGORITHMS);
    } else if (is("offset") && type == LogEvent.XID_EVENT) {
      return null;
    } else if (is("handled") && type == LogEvent.XID_EVENT) {
      return new UnknownLogEvent(event.getHeader());
    } else if (is("crash") && type == LogEvent.XID_EVENT) {
      throw new StackOverflowError("a defect of the library");
    } else if (is(String.valueOf(type))) {
      OtherValue.change(event, DEFECT[1], OF_ITS_OWN);
    }
    return event;
  }
}
