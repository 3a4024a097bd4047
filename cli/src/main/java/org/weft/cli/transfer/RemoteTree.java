package org.weft.cli.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
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

  /** Copies what the status is of, with all below it. */
  void get(FileStatus status, Path target) throws IOException {
    if (!status.isDirectory()) {
      requirePlace(target);
    }
    new TreeWalk(transfer.files(), transfer.failures(), true).walk(status, new Visitor(target));
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
    private final Deque<Level> levels = new ArrayDeque<>();

    private Visitor(Path root) {
      this.root = root;
    }

    private Path targetOf(FileStatus status, int depth) {
      return depth == 0 ? root : levels.peek().target.resolve(status.path().name());
    }

    @Override
    public boolean enter(FileStatus directory, int depth) {
      try {
        Path target = targetOf(directory, depth);
        // What stands there may be a link to a directory.
        if (!Files.isDirectory(target)) {
          Files.createDirectory(target);
        }
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
    if (Files.isDirectory(target)) {
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
