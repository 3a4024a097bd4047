package org.weft.client.volume;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.NodeRef;

/**
 * Where a volume's root directory stands in the cluster, and what follows for paths. Requests name
 * files within the volume, and people name them in the cluster.
 *
 * @param path absolute, normalised; "/" for the root volume
 */
public record VolumeMount(String path) {
  public static final VolumeMount ROOT = new VolumeMount("/");

  // Where a manager's text names a path: at its beginning, behind a colon or an arrow.
  private static final Pattern PATH_IN_MESSAGE = Pattern.compile("(^|: |-> )/(.|$)");

  /** The file of that path in the cluster, which is the volume's or lies below it. */
  NodeRef node(String clusterPath) {
    return NodeRef.newBuilder().setPath(within(clusterPath)).build();
  }

  /** The same as names from the volume's root on. */
  String within(String clusterPath) {
    if (isRoot()) {
      return clusterPath.substring(1);
    }
    if (clusterPath.equals(path)) {
      return "";
    }
    if (!clusterPath.startsWith(path + "/")) {
      throw new IllegalArgumentException(clusterPath + " is not in the volume " + path);
    }
    return clusterPath.substring(path.length() + 1);
  }

  /** What the manager said of paths within its volume, said of paths in the cluster. */
  WeftException inCluster(WeftException failure) {
    String message = String.valueOf(failure.getMessage());
    if (isRoot() || message.contains(path)) {
      return failure;
    }
    String said = PATH_IN_MESSAGE.matcher(message).replaceAll(this::inCluster);
    return said.equals(message) ? failure : new WeftException(failure.code(), said, failure);
  }

  private String inCluster(MatchResult found) {
    String name = found.group(2);
    return Matcher.quoteReplacement(
        found.group(1) + path + (name.isBlank() || name.equals(":") ? name : "/" + name));
  }

  private boolean isRoot() {
    return path.length() == 1;
  }
}
