package org.weft.simulator.node;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.weft.client.FileLocks;
import org.weft.client.WeftClient;
import org.weft.client.WeftFileSystem;
import org.weft.client.cache.DataCacheCounts;
import org.weft.client.ids.FilesById;
import org.weft.protocol.seam.Environment;

/**
 * A client library in a process of its own. A start after a kill is another client, under the same
 * name. Futures of a client that was killed never complete.
 */
public interface ClientNode extends SimNode {
  /** Completes when it is connected; fails if it gave up, then it may be started again. */
  CompletableFuture<WeftClient> connected();

  /** Its files; an {@link IllegalStateException} while it is not connected. */
  WeftFileSystem files();

  /** Its byte-range locks; an {@link IllegalStateException} while it is not connected. */
  FileLocks locks();

  /**
   * Locks of its later processes are kept for so long after their sessions, for the process after
   * them.
   */
  void keepLocks(int millis);

  /** The same, for whichever client has this key, too. */
  void keepLocks(int millis, String key);

  /** Files by their numbers, of one that was made as a gateway. */
  FilesById filesById();

  /** What its cache of bytes has done. */
  DataCacheCounts dataCacheCounts();

  /** Clock, timers and network of the process; of none while it has not begun. */
  Environment environment();

  /** Tasks of the process: they do not run while it is paused, and never after it was killed. */
  Executor tasks();

  /** Counts its processes: 1 for the first. */
  int life();
}
