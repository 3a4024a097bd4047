package org.weft.cli.fs;

import java.io.IOException;
import org.weft.cli.cluster.ClusterConnection;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/** Connects a command to the files of the cluster that its options name. */
@FunctionalInterface
interface FsConnector {
  /**
   * Files, and what a command needs to work on them.
   *
   * @param disconnect runs when the command has ended
   */
  record Session(RemoteFiles files, Scheduler scheduler, Ticker ticker, Runnable disconnect)
      implements AutoCloseable {
    @Override
    public void close() {
      disconnect.run();
    }
  }

  Session connect(ClusterOptions options) throws IOException;

  /** A real cluster. */
  static Session real(ClusterOptions options) throws IOException {
    ClusterConnection connection = options.connect();
    return new Session(
        new ClusterFiles(connection.client().files()),
        connection.environment().scheduler(),
        connection.environment().ticker(),
        connection::close);
  }
}
