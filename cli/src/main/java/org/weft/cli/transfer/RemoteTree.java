package org.weft.cli.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import org.weft.cli.files.PendingDirectory;
import org.weft.cli.files.TreeWalk;
import org.weft.client.FileStatus;

/**
 * Gets files and trees of the cluster: one thread walks them, the pool copies the files. Memory
 * holds a page of entries for each directory above the place of the walk, and the files under way.
 */
final class RemoteTree {
  private final Transfer transfer;
  private final int umask;
  private final CopyOut copy;

  /**
   * Copies for one transfer.
   *
   * @param umask bits that no mode gets, but if modes are preserved
   */
  RemoteTree(Transfer transfer, int umask) {
    this.transfer = transfer;
    this.umask = umask;
    this.copy = new CopyOut(transfer, umask);
  }

  /**
   * Copies what the status is of, with all below it.
   *
   * @param named whether the user named this target; a link there is then followed. Below the root
   *     of a copy others may have planted one
   */
  void get(FileStatus status, Path target, boolean named) throws IOException {
    Path place = target.toAbsolutePath();
    if (status.isDirectory() && named) {
      walk(status, () -> LocalDirectory.namedOrMade(place));
      return;
    }
    Path above = place.getParent();
    if (!Files.isDirectory(above)) {
      throw new NoSuchFileException(above.toString());
    }
    String name = place.getFileName().toString();
    if (status.isDirectory()) {
      walk(
          status,
          () -> {
            try (LocalDirectory directory = LocalDirectory.named(above)) {
              return directory.child(name);
            }
          });
    } else {
      submit(status, LocalDirectory.named(above), name, null);
    }
  }

  private void walk(FileStatus root, Opening opening) throws IOException {
    new TreeWalk(transfer.files(), transfer.failures(), true).walk(root, new Visitor(opening));
  }

  /** Makes a directory unless it is there, and opens it. */
  @FunctionalInterface
  private interface Opening {
    LocalDirectory open() throws IOException;
  }

  /** A directory under way. */
  private record Level(LocalDirectory target, PendingDirectory pending) {}

  private final class Visitor implements TreeWalk.Visitor {
    private final Opening root;
    private final Deque<Level> levels = new ArrayDeque<>();

    private Visitor(Opening root) {
      this.root = root;
    }

    @Override
    public boolean enter(FileStatus directory, int depth) {
      try {
        Level above = levels.peek();
        LocalDirectory target =
            above == null ? root.open() : above.target.child(directory.path().name());
        PendingDirectory pending =
            new PendingDirectory(
                above == null ? null : above.pending, complete -> finish(directory, target));
        levels.push(new Level(target, pending));
        return true;
      } catch (IOException | IllegalArgumentException e) {
        transfer.failures().add(e);
        return false;
      }
    }

    @Override
    public void file(FileStatus file, int depth) throws IOException {
      Level in = levels.element();
      in.pending.add();
      submit(file, in.target, file.path().name(), in.pending);
    }

    @Override
    public void leave(FileStatus directory, int depth) {
      levels.pop().pending.done(true);
    }
  }

  /**
   * Has a file copied.
   *
   * @param in is called when it is done; null: the directory is needed for this file alone
   */
  private void submit(FileStatus file, LocalDirectory directory, String name, PendingDirectory in)
      throws IOException {
    transfer
        .pool()
        .submit(
            () -> {
              boolean done = false;
              try {
                copy(file, directory, name);
                done = true;
              } finally {
                if (in == null) {
                  directory.close();
                } else {
                  in.done(done);
                }
              }
            });
  }

  private void copy(FileStatus file, LocalDirectory directory, String name) throws IOException {
    if (directory.find(name).filter(BasicFileAttributes::isDirectory).isPresent()) {
      throw new FileAlreadyExistsException(
          directory.place(name).toString(), null, "a directory stands there");
    }
    if (file.isSymlink()) {
      copy.link(file, directory, name);
    } else {
      copy.file(file, directory, name);
    }
  }

  /** A directory gets its own mode and times when nothing more is written into it. */
  private boolean finish(FileStatus directory, LocalDirectory target) {
    try (target) {
      if (transfer.options().preserve()) {
        target.setAttributes(LocalModes.Times.of(directory), directory.mode());
      } else if (target.made()) {
        target.setMode(directory.mode() & ~umask);
      }
      return true;
    } catch (IOException e) {
      transfer.failures().add(e);
      return false;
    }
  }
}
