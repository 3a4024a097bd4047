package org.weft.metadata.objects.flush;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.objects.OsdStates;
import org.weft.metadata.objects.cache.FlushItem;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Environment;

/** What the parts of a flusher share. */
record FlushContext(
    MetadataCache cache, OsdPort port, OsdStates states, Environment environment, Executor home) {
  /** Runs the task on the volume's thread after the delay. */
  void later(long delayNanos, Runnable task) {
    var unused = environment.scheduler().schedule(delayNanos, home, task);
  }

  RandomGenerator random() {
    return environment.random();
  }

  /** Runs the task on the volume's thread, behind what waits for it. */
  void soon(Runnable task) {
    home.execute(task);
  }

  /** The copy may be left behind: another that does not lag has taken the same. */
  boolean mayLag(FlushItem item, OsdId osd) {
    return item.mayLag(
        osd, other -> !states.isDown(other) && !cache.lagging().isLagging(other, item.object()));
  }

  /** The copy gets no more of this item; it lags, unless its object is about to go anyway. */
  void leaveBehind(FlushItem item, OsdId osd, LagJournal lags) {
    item.givenUp(osd);
    if (item.phase() == FlushItem.Phase.REMOVALS || !cache.isBeingRemoved(item.object())) {
      lags.added(item.laggingOn(osd));
    }
  }
}
