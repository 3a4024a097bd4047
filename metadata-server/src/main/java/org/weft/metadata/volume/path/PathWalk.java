package org.weft.metadata.volume.path;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.metadata.volume.state.View;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Follows paths from their base, and checks on the way that the caller may pass each directory.
 * Symbolic links on the way are followed inside the volume; at the end of the path as each method
 * says.
 */
public final class PathWalk {
  /** As many links are followed on one path, as in Linux. */
  static final int MAX_LINKS = 40;

  private final View view;
  private final Credentials credentials;
  private final Supplier<Handles> handles;
  private final ReadTrace trace;

  /** Path of the volume's root directory in the cluster: absolute links begin with it. */
  private final String volumePath;

  /**
   * Walks of one execution.
   *
   * @param credentials of the caller
   * @param volumePath of the volume's root directory in the cluster
   * @param handles those of the volume; asked for only where a path has one
   * @param trace gets what is looked up
   */
  public PathWalk(
      View view,
      Credentials credentials,
      String volumePath,
      Supplier<Handles> handles,
      ReadTrace trace) {
    this.view = view;
    this.credentials = credentials;
    this.volumePath = volumePath;
    this.handles = handles;
    this.trace = trace;
  }

  /**
   * A place where a name stands or could stand.
   *
   * @param directory its attributes
   * @param path as the client named it
   * @param name the path's last, or that of the link at its end
   * @param entry the present entry; empty: there is none
   */
  public record Place(
      Attributes directory, NodePath path, String name, Optional<DirectoryEntry> entry) {
    /**
     * @throws WeftException NOT_FOUND if nothing stands there
     */
    public DirectoryEntry requireEntry() throws WeftException {
      return entry.orElseThrow(() -> notFound(path));
    }
  }

  /** Makes the directories that a path lacks. */
  @FunctionalInterface
  public interface MissingDirectories {
    /**
     * The directory that the name leads to from now on.
     *
     * @param what names the parent in messages
     */
    Attributes make(Attributes parent, String name, Object what) throws NeedsInput, WeftException;
  }

  /**
   * The node at the end of the path, links followed.
   *
   * @throws WeftException NOT_FOUND, NOT_DIRECTORY or PERMISSION_DENIED naming where the walk
   *     ended; LOOP after {@value #MAX_LINKS} links, or 4,096 names in their targets; CROSS_VOLUME
   *     where it leaves the volume
   */
  public Attributes node(NodePath path) throws NeedsInput, WeftException {
    return end(path, true);
  }

  /** As {@link #node}, but a symbolic link at the end is itself what is asked for. */
  public Attributes nodeOrLink(NodePath path) throws NeedsInput, WeftException {
    return end(path, false);
  }

  private Attributes end(NodePath path, boolean followLast) throws NeedsInput, WeftException {
    LinkWalk walk = walk(path);
    while (!walk.isAtEnd()) {
      walk.step(followLast, null);
    }
    return walk.current();
  }

  /**
   * The place that the path names, in a directory that exists; a symbolic link may stand there.
   *
   * @throws WeftException INVALID_ARGUMENT if the path is the base itself, else as {@link #node}
   */
  public Place place(NodePath path) throws NeedsInput, WeftException {
    return place(path, false, null);
  }

  /**
   * The place that the path names.
   *
   * @param followLast a symbolic link that stands there is followed, so that the place is where it
   *     leads to; something stands there or not
   * @param missing makes what the path itself lacks above its last name; null: that is NOT_FOUND
   */
  public Place place(NodePath path, boolean followLast, MissingDirectories missing)
      throws NeedsInput, WeftException {
    if (path.isBase()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          path + ": this needs a name below it, not the directory itself");
    }
    LinkWalk walk = walk(path);
    while (!walk.isAtEnd()) {
      Optional<Place> place = walk.isAtLastName() ? walk.place(followLast) : Optional.empty();
      if (place.isPresent()) {
        return place.get();
      }
      walk.step(followLast, missing);
    }
    throw new WeftException(ErrorCode.IS_DIRECTORY, path + " leads to a directory");
  }

  /** What is looked up is noted here. */
  public ReadTrace trace() {
    return trace;
  }

  private LinkWalk walk(NodePath path) throws NeedsInput, WeftException {
    return new LinkWalk(this, view, path, base(path));
  }

  /**
   * Attributes of the path's base.
   *
   * @throws WeftException HANDLE_INVALID, before anything is looked for, if the base has a handle
   *     that this volume did not make
   */
  private Attributes base(NodePath path) throws NeedsInput, WeftException {
    if (path.handle().isPresent()) {
      handles.get().require(path.handle().get());
    }
    return view.attributes(path.base(), List.of(), path.describe(0));
  }

  /** The attributes of what an entry leads to; a symbolic link is not followed. */
  public Attributes attributes(DirectoryEntry entry, Object what) throws NeedsInput, WeftException {
    if (entry.kind() == NodeKind.VOLUME) {
      throw new WeftException(
          ErrorCode.CROSS_VOLUME, what + " is another volume; ask the manager of that one");
    }
    return view.attributes(entry, what);
  }

  /** The node is a directory through which the caller may go on. */
  void requirePassable(Attributes node, Object what) throws WeftException {
    if (!node.isDirectory()) {
      throw new WeftException(ErrorCode.NOT_DIRECTORY, what + " is not a directory");
    }
    Permissions.require(node, credentials, Permissions.EXECUTE, what);
  }

  /**
   * What an absolute target is from the volume's root on: "" for the root itself.
   *
   * @throws WeftException CROSS_VOLUME if it lies elsewhere in the cluster
   */
  String belowRoot(String target, Object what) throws WeftException {
    String left = withoutLeadingSlashes(target);
    if (!volumePath.equals("/")) {
      for (String name : volumePath.substring(1).split("/", -1)) {
        boolean whole = left.equals(name) || left.startsWith(name + "/");
        if (!whole) {
          throw leavesVolume(what);
        }
        left = withoutLeadingSlashes(left.substring(name.length()));
      }
    }
    return left;
  }

  private static String withoutLeadingSlashes(String text) {
    int from = 0;
    while (from < text.length() && text.charAt(from) == '/') {
      from++;
    }
    return text.substring(from);
  }

  /** What ".." means in the volume's root. */
  void requireRootOfCluster(Object what) throws WeftException {
    if (!volumePath.equals("/")) {
      throw leavesVolume(what);
    }
  }

  private WeftException leavesVolume(Object what) {
    return new WeftException(
        ErrorCode.CROSS_VOLUME,
        what
            + ": the symbolic link leads out of the volume "
            + volumePath
            + ", where it is not followed; name its target itself");
  }

  /** The text of a symbolic link. */
  static String target(Attributes link) {
    return link.symlinkTarget().toString(StandardCharsets.UTF_8);
  }

  /** The refusal NOT_FOUND for a path or node, as it is to be called in the message. */
  public static WeftException notFound(Object what) {
    return new WeftException(ErrorCode.NOT_FOUND, "no such file or directory: " + what);
  }
}
