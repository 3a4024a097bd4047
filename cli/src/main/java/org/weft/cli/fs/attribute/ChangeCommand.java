package org.weft.cli.fs.attribute;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.files.TreeWalk;
import org.weft.cli.files.WorkOptions;
import org.weft.cli.files.WorkPool;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Progress;
import org.weft.client.FileStatus;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What chmod, chown, chgrp and setfacl have in common: they change files, or whole trees. */
abstract class ChangeCommand extends PathsOperation {
  @Mixin private WorkOptions work;

  @Option(
      names = {"-R", "--recursive"},
      description = "Directories with all below them; symbolic links there are passed over.")
  private boolean recursive;

  private final AtomicLong changed = new AtomicLong();

  /**
   * Changes one file or directory.
   *
   * @return whether there was something to change
   */
  abstract boolean change(RemoteFiles files, FileStatus status) throws IOException;

  /**
   * True if the change may keep us from what is below the directory: it is made when all is done
   * there.
   */
  boolean closes(FileStatus directory) {
    return false;
  }

  abstract List<String> paths();

  /** Whether what lies below directories is changed, too. */
  final boolean isRecursive() {
    return recursive;
  }

  @Override
  protected void check() {
    work.check();
    checkPaths(paths());
  }

  @Override
  protected final void run(FilesSession session, Failures failures) throws IOException {
    RemoteFiles files = session.files();
    String label = paths().size() == 1 ? paths().get(0) : paths().size() + " paths";
    try (Progress progress = work.progress(session, console(), failures, label);
        WorkPool pool = work.pool(session, failures)) {
      Tree tree = new Tree(files, pool, progress);
      TreeWalk walk = new TreeWalk(files, failures, true);
      forEach(
          files,
          paths(),
          failures,
          path -> {
            FileStatus status = require(files, path);
            if (recursive && status.isDirectory()) {
              walk.walk(status, tree);
            } else {
              apply(files, status, progress);
            }
          });
      pool.await();
      while (!tree.closed.isEmpty() && !failures.stop()) {
        FileStatus directory = tree.closed.pop();
        attempt(directory.path(), failures, path -> apply(files, directory, progress));
      }
      failures.through(null);
    }
    report(
        node ->
            node.put("changed", changed.get())
                .put("errors", failures.count())
                .put("failed", failures.any()));
  }

  private void apply(RemoteFiles files, FileStatus status, Progress progress) throws IOException {
    if (change(files, status)) {
      changed.incrementAndGet();
    }
    progress.addItem();
  }

  /** Everything in a tree, several files at a time. */
  private final class Tree implements TreeWalk.Visitor {
    private final RemoteFiles files;
    private final WorkPool pool;
    private final Progress progress;

    /** Directories to be changed at the end, the deepest first. */
    private final Deque<FileStatus> closed = new ArrayDeque<>();

    private Tree(RemoteFiles files, WorkPool pool, Progress progress) {
      this.files = files;
      this.pool = pool;
      this.progress = progress;
    }

    @Override
    public boolean enter(FileStatus directory, int depth) throws IOException {
      if (closes(directory)) {
        closed.push(directory);
      } else {
        apply(files, directory, progress);
      }
      return true;
    }

    @Override
    public void file(FileStatus file, int depth) throws IOException {
      if (!file.isSymlink()) {
        pool.submit(() -> apply(files, file, progress));
      }
    }
  }
}
