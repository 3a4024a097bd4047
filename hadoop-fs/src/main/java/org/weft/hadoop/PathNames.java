package org.weft.hadoop;

import java.net.URI;
import org.apache.hadoop.fs.Path;
import org.weft.client.WeftPath;

/** Hadoop's paths and Weft's. Relative ones start at the working directory. */
final class PathNames {
  private final URI uri;
  private volatile Path workingDirectory;

  PathNames(URI uri, Path home) {
    this.uri = uri;
    this.workingDirectory = qualified(home);
  }

  Path workingDirectory() {
    return workingDirectory;
  }

  void setWorkingDirectory(Path directory) {
    workingDirectory = hadoopPath(weftPath(directory));
  }

  /** Absolute, with scheme and authority. */
  Path qualified(Path path) {
    return path.makeQualified(uri, workingDirectory);
  }

  /**
   * A path inside the cluster.
   *
   * @throws org.apache.hadoop.fs.InvalidPathException if a name breaks a rule
   */
  WeftPath weftPath(Path path) {
    Path absolute = path.isUriPathAbsolute() ? path : new Path(workingDirectory, path);
    try {
      return WeftPath.of(absolute.toUri().getPath());
    } catch (IllegalArgumentException e) {
      throw HadoopFailures.invalid(path.toString(), e);
    }
  }

  /** Made of parts: a name may hold what would mean something else in a text that is parsed. */
  Path hadoopPath(WeftPath path) {
    return new Path(uri.getScheme(), uri.getAuthority(), path.toString());
  }
}
