package org.weft.client.file;

import java.util.function.Function;
import org.weft.protocol.wire.FileAttributes;

/**
 * The name of a file in messages, and what its user is told of it.
 *
 * @param statusOf makes what a user is told, of what the manager says
 */
public record NamedFile<S>(String path, Function<FileAttributes, S> statusOf) {
  @Override
  public String toString() {
    return path;
  }
}
