package org.weft.metadata.objects.flush;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.cache.FlushItem;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.retry.Backoff;

/** What one OSD still has to be given in a round. Confined to the volume's thread. */
final class CopyLane {
  private static final int MAX_IN_FLIGHT = 2;
  private static final int MAX_BATCH_ITEMS = 512;
  private static final Backoff PAUSES =
      Backoff.spread(TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.MILLISECONDS.toNanos(1_600));

  private final OsdId osd;
  private final Deque<FlushItem> queue = new ArrayDeque<>();
  private int inFlight;
  private int failures;
  private boolean paused;
  private String problem = "";
  private long successes;

  CopyLane(OsdId osd) {
    this.osd = osd;
  }

  OsdId osd() {
    return osd;
  }

  void add(FlushItem item) {
    queue.addLast(item);
  }

  boolean isDone() {
    return queue.isEmpty() && inFlight == 0;
  }

  boolean maySend() {
    return !queue.isEmpty() && !paused && inFlight < MAX_IN_FLIGHT;
  }

  boolean isWaiting() {
    return !queue.isEmpty();
  }

  /** The next batch; the blocks of a directory are never split. */
  List<FlushItem> takeBatch() {
    List<FlushItem> batch = new ArrayList<>();
    long bytes = 0;
    while (!queue.isEmpty() && batch.size() < MAX_BATCH_ITEMS) {
      CopyWrite write = queue.peekFirst().writeFor(osd);
      bytes += write.sizeBytes();
      if (!batch.isEmpty() && (bytes > CopyWrite.MAX_CALL_BYTES || write.travelsAlone())) {
        break;
      }
      batch.add(queue.removeFirst());
      if (write.travelsAlone()) {
        break;
      }
    }
    inFlight++;
    return batch;
  }

  /** Forgets all that waits. */
  void clear() {
    queue.clear();
  }

  void answered() {
    inFlight--;
  }

  void succeeded() {
    failures = 0;
    successes++;
    problem = "";
  }

  /** The OSD did not do what any OSD does. */
  void failed(String why) {
    problem = why;
  }

  /** What the OSD failed with since it took something; empty if it did not. */
  String problem() {
    return problem;
  }

  /** Grows with each batch that was taken. */
  long successes() {
    return successes;
  }

  /** To be sent again, before what was behind it. */
  void putBack(List<FlushItem> items) {
    for (int index = items.size() - 1; index >= 0; index--) {
      queue.addFirst(items.get(index));
    }
  }

  /** Takes all that waits. */
  List<FlushItem> takeAll() {
    List<FlushItem> all = new ArrayList<>(queue);
    queue.clear();
    return all;
  }

  /** Begins a pause after a failure and says how long it is. */
  long pause(RandomGenerator random) {
    paused = true;
    return PAUSES.delayNanos(++failures, random);
  }

  void endPause() {
    paused = false;
  }
}
