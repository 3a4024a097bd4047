package org.weft.flink;

import java.io.IOException;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream.Committer;
import org.apache.flink.core.fs.RecoverableWriter;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.weft.hadoop.WeftHadoopFileSystem;
import org.weft.protocol.system.PolledWait;

/**
 * Writes files that appear under their names when they are committed, and not before. A file has a
 * hidden temporary name beside its target, and a commit renames it. What a checkpoint counts on is
 * on stable storage before the checkpoint learns of it.
 *
 * <p>After a failure the file is first taken from the process that wrote it, which may still run:
 * its writes fail from then on. Then bytes that the checkpoint does not know are cut off.
 *
 * <p>Safe for many threads; its streams are for one each.
 */
final class WeftRecoverableWriter implements RecoverableWriter {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration MAX_WAIT = Duration.ofMinutes(2);

  private final WeftHadoopFileSystem files;
  private final RandomGenerator random;

  WeftRecoverableWriter(WeftHadoopFileSystem files, RandomGenerator random) {
    this.files = files;
    this.random = random;
  }

  @Override
  public RecoverableFsDataOutputStream open(Path path) throws IOException {
    org.apache.hadoop.fs.Path target = new org.apache.hadoop.fs.Path(path.toUri());
    org.apache.hadoop.fs.Path temporary =
        new org.apache.hadoop.fs.Path(
            target.getParent(), UncommittedName.of(target.getName(), random));
    PendingFile file = new PendingFile(target, temporary, 0);
    return new WeftRecoverableStream(this, file, files.create(file.temporary(), false));
  }

  @Override
  public RecoverableFsDataOutputStream recover(ResumeRecoverable resumable) throws IOException {
    PendingFile file = ours(resumable);
    cutToCheckpoint(file);
    return new WeftRecoverableStream(this, file, files.append(file.temporary()));
  }

  @Override
  public Committer recoverForCommit(CommitRecoverable resumable) {
    return new PendingFileCommitter(this, ours(resumable));
  }

  private static PendingFile ours(CommitRecoverable resumable) {
    if (resumable instanceof PendingFile file) {
      return file;
    }
    throw new IllegalArgumentException(
        "a file of another file system's writer cannot be recovered on weft://: "
            + (resumable == null ? "null" : resumable.getClass().getName()));
  }

  /** Checkpoints refer to the temporary file itself: nothing else is left behind. */
  @Override
  public boolean requiresCleanupOfRecoverableState() {
    return false;
  }

  /** Nothing, and says so; Flink's sink asks it after a recovery all the same. */
  @Override
  public boolean cleanupRecoverableState(ResumeRecoverable resumable) {
    return false;
  }

  @Override
  @SuppressWarnings("unchecked") // All that this writer hands out are pending files.
  public SimpleVersionedSerializer<CommitRecoverable> getCommitRecoverableSerializer() {
    return (SimpleVersionedSerializer<CommitRecoverable>)
        (SimpleVersionedSerializer<?>) new PendingFileSerializer();
  }

  @Override
  @SuppressWarnings("unchecked") // As above.
  public SimpleVersionedSerializer<ResumeRecoverable> getResumeRecoverableSerializer() {
    return (SimpleVersionedSerializer<ResumeRecoverable>)
        (SimpleVersionedSerializer<?>) new PendingFileSerializer();
  }

  @Override
  public boolean supportsResume() {
    return true;
  }

  WeftHadoopFileSystem files() {
    return files;
  }

  /**
   * Takes the temporary file from its writer and leaves just the bytes that the checkpoint knows.
   *
   * @throws java.io.FileNotFoundException if there is no such file
   * @throws IOException if the writer keeps the file, or if the file is shorter than the checkpoint
   *     says
   */
  void cutToCheckpoint(PendingFile file) throws IOException {
    takeFromWriter(file);
    long lengthBytes = files.getFileStatus(file.temporary()).getLen();
    if (lengthBytes < file.sizeBytes()) {
      throw new IOException(
          file.temporary()
              + " has "
              + lengthBytes
              + " bytes, and the checkpoint counts on "
              + file.sizeBytes()
              + ": it was changed since; restore from an older checkpoint");
    }
    if (lengthBytes > file.sizeBytes() && !files.truncate(file.temporary(), file.sizeBytes())) {
      throw new IOException(file.temporary() + " is still being truncated; recover once more");
    }
  }

  /**
   * Ends the writing of the process that has the temporary file, if one has it: what it published
   * stays, and its later writes fail.
   *
   * @throws java.io.FileNotFoundException if there is no such file
   * @throws IOException if the writer keeps it
   */
  void takeFromWriter(PendingFile file) throws IOException {
    PolledWait wait = PolledWait.every(POLL).atMost(MAX_WAIT);
    if (!wait.until(() -> files.recoverLease(file.temporary()))) {
      throw new IOException(
          file.temporary()
              + " is still held by its writer after "
              + MAX_WAIT.toSeconds()
              + " s; see weft fs stat and weft status");
    }
  }
}
