package org.weft.client.stripe.base;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.osd.OsdClient;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.ReportBadBlocksRequest;

/**
 * Tells OSDs of blocks that came from them and do not match their checksums. So they look at their
 * disks, and managers write the blocks anew (P 6.8b). No read waits for a report: one that is lost
 * is made again by the next read of the block. The same block is reported once a minute, and not
 * many at a time. Thread-safe.
 */
public final class BadBlockReports {
  private static final Logger LOG = LoggerFactory.getLogger(BadBlockReports.class);
  private static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_REMEMBERED = 1_000;
  private static final int MAX_UNDER_WAY = 32;
  private static final int MAX_BLOCKS = 1_024;
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  private final OsdClient osds;
  private final Ticker ticker;
  private final boolean isOn;
  private final AtomicInteger underWay = new AtomicInteger();
  private final Map<Place, Long> saidNanos =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Place, Long> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  private record Place(ObjectName object, OsdId osd, long block) {}

  /**
   * @param isOn false: OSDs hear of nothing
   */
  BadBlockReports(OsdClient osds, Ticker ticker, boolean isOn) {
    this.osds = osds;
    this.ticker = ticker;
    this.isOn = isOn;
  }

  /** Bytes of the component from one offset to another came wrong, or did not come. */
  public void report(StripedFile file, int component, long fromBytes, long toBytes) {
    if (!isOn) {
      return;
    }
    long first = fromBytes / BLOCK_BYTES;
    long blocks = Math.min(MAX_BLOCKS, (toBytes + BLOCK_BYTES - 1) / BLOCK_BYTES - first);
    Place place = new Place(file.name(), file.map().osdOf(component), first);
    if (!isDue(place)) {
      return;
    }
    if (underWay.incrementAndGet() > MAX_UNDER_WAY) {
      underWay.decrementAndGet();
      return;
    }
    ReportBadBlocksRequest.Builder request =
        ReportBadBlocksRequest.newBuilder()
            .setObjectId(file.name().object().value())
            .setFirstBlock(first)
            .setBlockCount((int) blocks);
    var unused =
        osds.reportBadBlocks(file.target(component, TIMEOUT_MILLIS), request)
            .whenComplete(
                (heard, failure) -> {
                  underWay.decrementAndGet();
                  if (failure != null) {
                    LOG.debug(
                        "OSD {} did not hear of a bad block: {}",
                        place.osd(),
                        WeftException.of(failure).getMessage());
                  }
                });
  }

  private synchronized boolean isDue(Place place) {
    long nowNanos = ticker.nowNanos();
    Long said = saidNanos.get(place);
    if (said != null && nowNanos - said < AGAIN_NANOS) {
      return false;
    }
    saidNanos.remove(place);
    saidNanos.put(place, nowNanos);
    return true;
  }
}
