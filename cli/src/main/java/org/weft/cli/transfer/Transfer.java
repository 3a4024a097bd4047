package org.weft.cli.transfer;

import java.util.concurrent.atomic.AtomicLong;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.files.WorkPool;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Progress;

/**
 * The shared parts of one put or get. Thread-safe.
 *
 * @param skipped files that were there already
 */
record Transfer(
    RemoteFiles files,
    CopyOptions options,
    WorkPool pool,
    Progress progress,
    Cleanup cleanup,
    Failures failures,
    AtomicLong skipped) {
  /** One file that needed no copy. */
  void skip() {
    skipped.incrementAndGet();
  }
}
