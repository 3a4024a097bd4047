package org.weft.osd.store.engine;

import static org.weft.osd.store.engine.Requests.lsn;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.removal;
import static org.weft.osd.store.engine.Requests.write;

import java.io.IOException;
import org.weft.osd.store.value.AttributeValue;
import org.weft.protocol.error.WeftException;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.MemorySegmentDirectory;

/** A small store that was stopped, to be damaged. */
public final class CheckedStore {
  private final Rig rig;

  /** Objects 1 and 2 of partition 7 have 10 blocks each; object 3 was removed. */
  public CheckedStore() throws WeftException {
    rig = Rig.small();
    rig.apply(
        write(1, 0, random(1, 40_960))
            .attributes(new AttributeValue(0, lsn(1), new byte[9]))
            .build());
    rig.apply(write(2, 0, random(2, 40_960)).build());
    rig.apply(removal(3, 500));
    rig.stop();
  }

  public MemoryKeyValueStore tables() {
    return rig.tables;
  }

  public MemorySegmentDirectory segments() {
    return rig.segments;
  }

  /** Flips a bit. */
  public void rot(String file, long offsetBytes) throws IOException {
    rig.segments.rot(file, offsetBytes);
  }
}
