package org.weft.cli.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.weft.cli.files.PendingDirectory;
import org.weft.cli.files.TreeWalk;
import org.weft.client.FileStatus;

/**
 * Gets files and trees of the cluster: one thread walks them, the pool copies the files. What is
 * held in memory is a page of entries for each directory above where the walk is, and the files
 * under way.
 */
final class RemoteTree {
  private final Transfer transfer;
  private final CopyOut copy;

  RemoteTree(Transfer transfer) {
    this.transfer = transfer;
    this.copy = new CopyOut(transfer);
  }

  /**
   * Copies what the status is of, with all below it.
   *
   * @param named whether the user named this target; a link there is then followed
   */
  void get(FileStatus status, Path target, boolean named) throws IOException {
    if (!status.isDirectory()) {
      requirePlace(target);
    }
    new TreeWalk(transfer.files(), transfer.failures(), true)
        .walk(status, new Visitor(target, named));
  }

  /**
   * Makes a directory unless it is there. Only a link that the user named leads on: below the root
   * of a copy others may have planted one.
   */
  private static void makeDirectory(Path target, boolean followed) throws IOException {
    boolean exists =
        followed ? Files.isDirectory(target) : Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS);
    if (exists) {
      return;
    }
    if (Files.isSymbolicLink(target) && Files.isDirectory(target)) {
      throw new FileSystemException(
          target.toString(),
          null,
          "a symbolic link to a directory stands there, which is not followed; remove it");
    }
    Files.createDirectory(target);
  }

  private static void requirePlace(Path target) throws IOException {
    Path directory = target.toAbsolutePath().getParent();
    if (!Files.isDirectory(directory)) {
      throw new NoSuchFileException(directory.toString());
    }
  }

  /** A directory under way. */
  private record Level(Path target, PendingDirectory pending) {}

  private final class Visitor implements TreeWalk.Visitor {
    private final Path root;
    private final boolean named;
    private final Deque<Level> levels = new ArrayDeque<>();

    private Visitor(Path root, boolean named) {
      this.root = root;
      this.named = named;
    }

    private Path targetOf(FileStatus status, int depth) {
      return depth == 0 ? root : levels.peek().target.resolve(status.path().name());
    }

    @Override
    public boolean enter(FileStatus directory, int depth) {
      try {
        Path target = targetOf(directory, depth);
        makeDirectory(target, depth == 0 && named);
        PendingDirectory above = levels.isEmpty() ? null : levels.peek().pending;
        levels.push(
            new Level(target, new PendingDirectory(above, complete -> finish(directory, target))));
        return true;
      } catch (IOException | IllegalArgumentException e) {
        transfer.failures().add(e);
        return false;
      }
    }

    @Override
    public void file(FileStatus file, int depth) throws IOException {
      Path target = targetOf(file, depth);
      PendingDirectory in = levels.isEmpty() ? null : levels.peek().pending;
      if (in != null) {
        in.add();
      }
      transfer
          .pool()
          .submit(
              () -> {
                boolean done = false;
                try {
                  copy(file, target);
                  done = true;
                } finally {
                  if (in != null) {
                    in.done(done);
                  }
                }
              });
    }

    @Override
    public void leave(FileStatus directory, int depth) {
      levels.pop().pending.done(true);
    }
  }

  private void copy(FileStatus file, Path target) throws IOException {
    if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(target.toString(), null, "a directory stands there");
    }
    if (file.isSymlink()) {
      copy.link(file, target);
    } else {
      copy.file(file, target);
    }
  }

  /** A directory gets its own mode and times when nothing more is written into it. */
  private boolean finish(FileStatus directory, Path target) {
    try {
      if (transfer.options().preserve()) {
        LocalModes.setMode(target, directory.mode());
        LocalModes.setTimes(target, directory.mtimeMillis(), directory.atimeMillis());
      }
      return true;
    } catch (IOException e) {
      transfer.failures().add(e);
      return false;
    }
  }
}
