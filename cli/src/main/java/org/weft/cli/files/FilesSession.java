package org.weft.cli.files;

import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Files of a cluster, and what a command needs to work on them.
 *
 * @param disconnect runs when the command has ended
 */
public record FilesSession(
    RemoteFiles files, Scheduler scheduler, Ticker ticker, Runnable disconnect)
    implements AutoCloseable {
  @Override
  public void close() {
    disconnect.run();
  }
}
