package org.weft.cli.transfer;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.weft.cli.files.PendingDirectory;
import org.weft.client.AttributeChanges;
import org.weft.client.FileStatus;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Puts a local tree: one thread walks it, the pool copies its files. Memory holds the path from the
 * root to the place of the walk, and the files under way. Symbolic links in it are copied as links,
 * unless they are to be followed.
 */
final class LocalTree {
  /** The owner of a directory must be able to fill it, whatever its mode here. */
  private static final int FILLABLE = 0300;

  private final Transfer transfer;
  private final CopyIn copy;
  private final boolean follow;

  LocalTree(Transfer transfer, CopyIn copy, boolean follow) {
    this.transfer = transfer;
    this.copy = copy;
    this.follow = follow;
  }

  static Set<FileVisitOption> visitOptions(boolean follow) {
    return follow
        ? EnumSet.of(FileVisitOption.FOLLOW_LINKS)
        : EnumSet.noneOf(FileVisitOption.class);
  }

  /** Copies a directory, which may be reached by a link, and all below it. */
  void put(Path root, WeftPath target) throws IOException {
    Path real = root.toRealPath();
    var unused =
        Files.walkFileTree(
            real, visitOptions(follow), Integer.MAX_VALUE, new Visitor(real, target));
  }

  /** A directory under way, and the one above it. */
  private record Level(Level above, WeftPath target, PendingDirectory pending) {}

  private final class Visitor extends SimpleFileVisitor<Path> {
    private final Path root;
    private final WeftPath rootTarget;
    private Level level;

    private Visitor(Path root, WeftPath rootTarget) {
      this.root = root;
      this.rootTarget = rootTarget;
    }

    private WeftPath targetOf(Path local) {
      return local.equals(root) ? rootTarget : level.target.child(local.getFileName().toString());
    }

    @Override
    public FileVisitResult preVisitDirectory(Path local, BasicFileAttributes attributes) {
      if (transfer.failures().stop()) {
        return FileVisitResult.TERMINATE;
      }
      try {
        WeftPath target = targetOf(local);
        int mode = LocalModes.modeOf(local, WeftFiles.DIRECTORY_MODE);
        makeDirectory(target, mode | FILLABLE);
        Optional<AttributeChanges> atEnd = copy.preserved(attributes, mode);
        PendingDirectory above = level == null ? null : level.pending;
        level =
            new Level(
                level, target, new PendingDirectory(above, complete -> finish(target, atEnd)));
        return FileVisitResult.CONTINUE;
      } catch (IOException | IllegalArgumentException e) {
        transfer.failures().add(e);
        return FileVisitResult.SKIP_SUBTREE;
      }
    }

    @Override
    public FileVisitResult postVisitDirectory(Path local, IOException failure) {
      if (failure != null) {
        transfer.failures().add(failure);
      }
      Level done = level;
      level = done.above;
      done.pending.done(failure == null);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path local, BasicFileAttributes attributes) {
      if (transfer.failures().stop()) {
        return FileVisitResult.TERMINATE;
      }
      if (attributes.isOther()) {
        transfer.failures().add(local + ": skipped: neither a file, a directory nor a link");
        return FileVisitResult.CONTINUE;
      }
      try {
        give(local, targetOf(local), attributes.isSymbolicLink());
      } catch (IOException | IllegalArgumentException e) {
        transfer.failures().add(e);
      }
      return FileVisitResult.CONTINUE;
    }

    private void give(Path local, WeftPath target, boolean link) throws IOException {
      PendingDirectory in = level.pending;
      in.add();
      transfer
          .pool()
          .submit(
              () -> {
                boolean done = false;
                try {
                  if (link) {
                    copy.link(local, target);
                  } else {
                    copy.file(local, target);
                  }
                  done = true;
                } finally {
                  in.done(done);
                }
              });
    }

    @Override
    public FileVisitResult visitFileFailed(Path local, IOException failure) {
      transfer.failures().add(failure);
      return FileVisitResult.CONTINUE;
    }
  }

  /** A directory gets its own mode and times when nothing more is written into it. */
  private boolean finish(WeftPath target, Optional<AttributeChanges> attributes) {
    try {
      if (attributes.isPresent()) {
        var unused = transfer.files().setAttributes(target, attributes.get());
      }
      return true;
    } catch (IOException e) {
      transfer.failures().add(e);
      return false;
    }
  }

  private void makeDirectory(WeftPath path, int mode) throws IOException {
    try {
      transfer.files().mkdir(path, mode, false);
    } catch (WeftException e) {
      Optional<FileStatus> there =
          e.code() == ErrorCode.EXISTS ? transfer.files().find(path) : Optional.empty();
      if (there.isEmpty() || !there.get().isDirectory()) {
        throw e;
      }
    }
  }
}
