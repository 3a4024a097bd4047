package org.weft.flink;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream.Committer;
import org.apache.flink.core.fs.RecoverableWriter.CommitRecoverable;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;

/** Gives a file that is written and closed its name. A commit is durable when it returns. */
final class PendingFileCommitter implements Committer {
  private final WeftRecoverableWriter writer;
  private final PendingFile file;

  PendingFileCommitter(WeftRecoverableWriter writer, PendingFile file) {
    this.writer = writer;
    this.file = file;
  }

  /**
   * {@inheritDoc}
   *
   * <p>The file is first taken from a writer that still has it, as after a failure.
   *
   * @throws IOException if the file is not as it was closed, or if its name is taken
   */
  @Override
  public void commit() throws IOException {
    writer.takeFromWriter(file);
    long lengthBytes = writer.files().getFileStatus(file.temporary()).getLen();
    if (lengthBytes != file.sizeBytes()) {
      throw new IOException(
          file.temporary()
              + " has "
              + lengthBytes
              + " bytes and was closed with "
              + file.sizeBytes()
              + ": it was changed since");
    }
    rename();
  }

  /**
   * {@inheritDoc}
   *
   * <p>The file is first taken from a writer that still has it: that one cannot append to it once
   * it is committed. A temporary file that is gone was committed before the failure, if the target
   * is there as the checkpoint knows it.
   *
   * @throws IOException if the file is in neither place with the checkpoint's bytes, or if its name
   *     is taken
   */
  @Override
  public void commitAfterRecovery() throws IOException {
    try {
      writer.cutToCheckpoint(file);
    } catch (FileNotFoundException e) {
      requireCommitted(e);
      return;
    }
    rename();
  }

  private void requireCommitted(FileNotFoundException missing) throws IOException {
    String found;
    try {
      FileStatus target = writer.files().getFileStatus(file.target());
      if (target.isFile() && target.getLen() == file.sizeBytes()) {
        return;
      }
      found = target.isFile() ? "has " + target.getLen() + " bytes" : "is no file";
    } catch (FileNotFoundException e) {
      found = "is missing, too";
    }
    throw new IOException(
        file.temporary()
            + " is missing, and "
            + file.target()
            + " "
            + found
            + ", where the checkpoint counts on "
            + file.sizeBytes()
            + " bytes: were they deleted or moved? Put the file back, or restore from a checkpoint"
            + " that does not have it",
        missing);
  }

  @Override
  public CommitRecoverable getRecoverable() {
    return file;
  }

  private void rename() throws IOException {
    try {
      writer.files().renameExactly(file.temporary(), file.target(), false);
    } catch (FileAlreadyExistsException e) {
      throw new IOException(
          file.temporary() + " cannot become " + file.target() + ": the name is taken", e);
    }
  }
}
