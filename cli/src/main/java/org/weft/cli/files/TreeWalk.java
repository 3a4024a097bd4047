package org.weft.cli.files;

import java.io.IOException;
import org.weft.cli.output.Failures;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;

/**
 * Walks over a tree of the cluster, in the directories' own order. Symbolic links are not followed.
 * Holds a page of entries for each directory above where it is, whatever the tree's size.
 */
public final class TreeWalk {
  /** No limit to the depth. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  /** Visits the files on the way. The root has depth 0. */
  public interface Visitor {
    /** A directory, before its entries; false: not those. */
    boolean enter(FileStatus directory, int depth) throws IOException;

    /** A file or a symbolic link. */
    void file(FileStatus file, int depth) throws IOException;

    /** A directory that was entered, after its entries. */
    default void leave(FileStatus directory, int depth) throws IOException {}
  }

  private final RemoteFiles files;
  private final Failures failures;
  private final boolean withAttributes;

  /**
   * @param failures take directories that cannot be listed; the walk goes on beside them
   * @param withAttributes false: paths and types only
   */
  public TreeWalk(RemoteFiles files, Failures failures, boolean withAttributes) {
    this.files = files;
    this.failures = failures;
    this.withAttributes = withAttributes;
  }

  /**
   * Shows the visitor the root and everything below it. The paths follow no link below the root,
   * since other clients may replace an entry after it was listed. Fails as the visitor does.
   */
  public void walk(FileStatus root, Visitor visitor) throws IOException {
    walk(root, 0, visitor);
  }

  private void walk(FileStatus node, int depth, Visitor visitor) throws IOException {
    if (failures.stop()) {
      return;
    }
    if (!node.isDirectory()) {
      visitor.file(node, depth);
    } else if (visitor.enter(node, depth)) {
      RemoteFiles.Entries entries = list(node.path().withoutLinksBelow());
      for (FileStatus entry = next(entries); entry != null; entry = next(entries)) {
        walk(entry, depth + 1, visitor);
      }
      visitor.leave(node, depth);
    }
  }

  private RemoteFiles.Entries list(WeftPath directory) {
    try {
      return withAttributes ? files.list(directory) : files.listNames(directory);
    } catch (IOException e) {
      failures.add(e);
      return () -> null;
    }
  }

  private FileStatus next(RemoteFiles.Entries entries) {
    try {
      return failures.stop() ? null : entries.next();
    } catch (IOException e) {
      failures.add(e);
      return null;
    }
  }
}
