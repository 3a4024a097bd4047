package org.weft.hadoop;

import java.net.URI;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;

/**
 * Where symbolic links lead: paths of the cluster, relative to the link's directory or absolute.
 */
final class Links {
  private Links() {}

  /**
   * What is stored for a target that Hadoop names.
   *
   * @throws PathIOException if there is nothing to be stored
   * @throws UnsupportedOperationException if it lies in another file system
   */
  static String stored(Path target, URI cluster) throws PathIOException {
    URI uri = target.toUri();
    boolean elsewhere =
        (uri.getScheme() != null && !uri.getScheme().equals(cluster.getScheme()))
            || (uri.getAuthority() != null && !uri.getAuthority().equals(cluster.getAuthority()));
    if (elsewhere) {
      throw new UnsupportedOperationException(
          target + ": a symbolic link leads to a path of its own cluster, " + cluster);
    }
    if (uri.getPath().isEmpty()) {
      throw new PathIOException(target.toString(), "a symbolic link needs a path to lead to");
    }
    return uri.getPath();
  }

  /** Made of parts, as a name may hold a colon. */
  static Path asPath(String target) {
    return new Path(null, null, target);
  }
}
