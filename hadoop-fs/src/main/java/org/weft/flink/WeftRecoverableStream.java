package org.weft.flink;

import java.io.IOException;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream;
import org.apache.flink.core.fs.RecoverableWriter.ResumeRecoverable;
import org.apache.hadoop.fs.FSDataOutputStream;

/**
 * A file that is being written under its temporary name. Not safe for many threads, as Flink's
 * streams are not.
 */
final class WeftRecoverableStream extends RecoverableFsDataOutputStream {
  private final WeftRecoverableWriter writer;
  private final PendingFile file;
  private final FSDataOutputStream out;

  WeftRecoverableStream(WeftRecoverableWriter writer, PendingFile file, FSDataOutputStream out) {
    this.writer = writer;
    this.file = file;
    this.out = out;
  }

  @Override
  public void write(int value) throws IOException {
    out.write(value);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    out.write(bytes, offset, length);
  }

  @Override
  public long getPos() throws IOException {
    return out.getPos();
  }

  @Override
  public void flush() throws IOException {
    out.hflush();
  }

  /** What was written is on stable storage when it returns. */
  @Override
  public void sync() throws IOException {
    out.hsync();
  }

  /** What was written until now is on stable storage when it returns. */
  @Override
  public ResumeRecoverable persist() throws IOException {
    out.hsync();
    return soFar();
  }

  /** The whole file is on stable storage when it returns, under its temporary name. */
  @Override
  public Committer closeForCommit() throws IOException {
    out.hsync();
    PendingFile whole = soFar();
    out.close();
    return new PendingFileCommitter(writer, whole);
  }

  /** Ends the stream; the temporary file stays, since a checkpoint may know it. */
  @Override
  public void close() throws IOException {
    out.close();
  }

  private PendingFile soFar() {
    return new PendingFile(file.target(), file.temporary(), out.getPos());
  }
}
