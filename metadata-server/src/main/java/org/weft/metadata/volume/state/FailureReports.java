package org.weft.metadata.volume.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Reports of clients on components that failed, to be shown for a while; not journalled. It has one
 * entry for each OSD, so it is as small as the cluster. Confined to the volume's thread.
 */
public final class FailureReports {
  /** A report that was not repeated for so long is history. */
  private static final long SHOWN_MILLIS = 5 * 60_000;

  private static final int MAX_OSDS = 10_000;
  private static final int MAX_MESSAGE_CHARS = 300;

  private record Report(
      long count, ObjectId object, ErrorCode error, String message, long atMillis) {}

  private final Map<OsdId, Report> newest = new TreeMap<>();
  private boolean anyDropped;
  private long droppedMillis;

  /** True if the OSD was not reported for a while: a good moment to log it. */
  public boolean add(OsdId osd, ObjectId object, ErrorCode error, String message, long nowMillis) {
    Report before = newest.get(osd);
    boolean fresh = before == null || nowMillis - before.atMillis() > SHOWN_MILLIS;
    if (before == null && newest.size() >= MAX_OSDS) {
      return false;
    }
    String text = message.substring(0, Math.min(message.length(), MAX_MESSAGE_CHARS));
    long count = fresh ? 1 : before.count() + 1;
    newest.put(osd, new Report(count, object, error, text, nowMillis));
    return fresh;
  }

  /**
   * A report was dropped, since there is no such OSD.
   *
   * @return true if none was for a while: a good moment to log it
   */
  public boolean dropped(long nowMillis) {
    boolean fresh = !anyDropped || nowMillis - droppedMillis > SHOWN_MILLIS;
    if (fresh) {
      anyDropped = true;
      droppedMillis = nowMillis;
    }
    return fresh;
  }

  /** A sentence for each OSD that was reported of late. */
  public List<String> recent(long nowMillis) {
    List<String> sentences = new ArrayList<>();
    newest.forEach(
        (osd, report) -> {
          if (nowMillis - report.atMillis() <= SHOWN_MILLIS) {
            sentences.add(
                "clients reported OSD "
                    + osd
                    + " "
                    + (report.count() == 1 ? "once" : report.count() + " times")
                    + " in the last minutes,"
                    + " last for object "
                    + report.object()
                    + ": "
                    + report.error()
                    + " "
                    + report.message());
          }
        });
    return sentences;
  }
}
