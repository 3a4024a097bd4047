package org.weft.flink;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream.Committer;
import org.apache.flink.core.fs.RecoverableWriter.CommitRecoverable;
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
   * @throws IOException if the file is not as it was closed, or if its name is taken
   */
  @Override
  public void commit() throws IOException {
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
   * <p>A temporary file that is gone was committed before the failure.
   */
  @Override
  public void commitAfterRecovery() throws IOException {
    FileStatus status;
    try {
      status = writer.files().getFileStatus(file.temporary());
    } catch (FileNotFoundException e) {
      return;
    }
    if (status.getLen() != file.sizeBytes()) {
      writer.cutToCheckpoint(file);
    }
    rename();
  }

  @Override
  public CommitRecoverable getRecoverable() {
    return file;
  }

  private void rename() throws IOException {
    if (!writer.files().rename(file.temporary(), file.target())) {
      throw new IOException(
          file.temporary() + " cannot become " + file.target() + ": is there a file of that name?");
    }
  }
}
