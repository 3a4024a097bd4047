package org.weft.cli.files;

import java.io.IOException;
import org.weft.cli.cluster.ClusterConnection;
import org.weft.cli.cluster.ClusterOptions;

/** Connects a command to the files of the cluster that its options name. */
@FunctionalInterface
public interface FilesConnector {
  FilesSession connect(ClusterOptions options) throws IOException;

  /** A real cluster. */
  static FilesSession real(ClusterOptions options) throws IOException {
    ClusterConnection connection = options.connect();
    return new FilesSession(
        new ClusterFiles(connection.client()),
        connection.environment().scheduler(),
        connection.environment().ticker(),
        connection::close);
  }
}
