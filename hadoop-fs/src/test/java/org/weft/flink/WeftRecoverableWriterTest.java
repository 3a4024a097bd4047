package org.weft.flink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.URI;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream.Committer;
import org.apache.flink.core.fs.RecoverableWriter.CommitRecoverable;
import org.apache.flink.core.fs.RecoverableWriter.ResumeRecoverable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.hadoop.SharedCluster;

/** Files of Flink's exactly-once sink, before and after failures. */
@Timeout(120)
class WeftRecoverableWriterTest {
  private static final org.apache.hadoop.fs.Path ROOT = new org.apache.hadoop.fs.Path("/tmp/flink");
  private static final int CHECKPOINT_BYTES = 100_000;
  private static final int LATER_BYTES = 70_000;

  private FileSystem files;
  private FileSystem others;

  @BeforeEach
  void connect() throws IOException {
    files = open();
    others = open();
    files.delete(ROOT, true);
  }

  @AfterEach
  void disconnect() throws IOException {
    files.close();
    others.close();
  }

  @Test
  void aFileAppearsWithAllItsBytesWhenItIsCommitted() throws IOException {
    RecoverableFsDataOutputStream out = writer(files).open(path("whole"));
    out.write(bytes(CHECKPOINT_BYTES), 0, CHECKPOINT_BYTES);
    Committer committer = out.closeForCommit();
    assertFalse(others.exists(hadoop("whole")));
    committer.commit();
    assertArrayEquals(bytes(CHECKPOINT_BYTES), read("whole"));
    assertEquals(1, others.listStatus(ROOT).length);
  }

  @Test
  void aFileGoesOnFromItsCheckpointAndIsTakenFromAWriterThatStillRuns() throws IOException {
    byte[] all = bytes(CHECKPOINT_BYTES + LATER_BYTES);
    RecoverableFsDataOutputStream out = writer(files).open(path("resumed"));
    out.write(all, 0, CHECKPOINT_BYTES);
    ResumeRecoverable checkpoint = out.persist();
    out.write(new byte[LATER_BYTES], 0, LATER_BYTES);
    out.flush();

    RecoverableFsDataOutputStream again = writer(others).recover(restored(checkpoint));
    assertEquals(CHECKPOINT_BYTES, again.getPos());
    // As Flink's sink asks after a recovery.
    assertFalse(writer(others).cleanupRecoverableState(checkpoint));
    again.write(all, CHECKPOINT_BYTES, LATER_BYTES);
    assertThrows(
        IOException.class,
        () -> {
          out.write(new byte[LATER_BYTES], 0, LATER_BYTES);
          out.persist();
        });
    again.closeForCommit().commit();
    assertArrayEquals(all, read("resumed"));
  }

  @Test
  void aCommitAfterAFailureCutsWhatTheCheckpointDoesNotKnow() throws IOException {
    WeftRecoverableWriter writer = writer(files);
    RecoverableFsDataOutputStream out = writer.open(path("cut"));
    out.write(bytes(CHECKPOINT_BYTES), 0, CHECKPOINT_BYTES);
    CommitRecoverable checkpoint = (CommitRecoverable) out.persist();
    out.write(new byte[LATER_BYTES], 0, LATER_BYTES);
    out.close();
    assertThrows(IOException.class, () -> writer.recoverForCommit(checkpoint).commit());
    writer(others).recoverForCommit(checkpoint).commitAfterRecovery();
    assertArrayEquals(bytes(CHECKPOINT_BYTES), read("cut"));
  }

  @Test
  void aFileThatWasCommittedBeforeTheFailureStaysAsItIs() throws IOException {
    RecoverableFsDataOutputStream out = writer(files).open(path("twice"));
    out.write(bytes(CHECKPOINT_BYTES), 0, CHECKPOINT_BYTES);
    Committer committer = out.closeForCommit();
    CommitRecoverable checkpoint = committer.getRecoverable();
    committer.commit();
    writer(others).recoverForCommit(checkpoint).commitAfterRecovery();
    assertArrayEquals(bytes(CHECKPOINT_BYTES), read("twice"));
  }

  @Test
  void aCommitReplacesNoOtherFile() throws IOException {
    files.create(hadoop("taken")).close();
    RecoverableFsDataOutputStream out = writer(files).open(path("taken"));
    out.write(1);
    Committer committer = out.closeForCommit();
    assertThrows(IOException.class, committer::commit);
    assertEquals(0, files.getFileStatus(hadoop("taken")).getLen());
  }

  @Test
  void aFileThatIsShorterThanItsCheckpointIsRefused() throws IOException {
    RecoverableFsDataOutputStream out = writer(files).open(path("short"));
    out.write(bytes(CHECKPOINT_BYTES), 0, CHECKPOINT_BYTES);
    PendingFile checkpoint = (PendingFile) out.persist();
    out.close();
    files.truncate(checkpoint.temporary(), CHECKPOINT_BYTES - 1);
    assertThrows(IOException.class, () -> writer(others).recover(checkpoint));
  }

  @Test
  void aPendingFileOfALaterVersionIsRefused() {
    assertThrows(IOException.class, () -> new PendingFileSerializer().deserialize(2, new byte[9]));
  }

  /** As a checkpoint gives it back. */
  private ResumeRecoverable restored(ResumeRecoverable pending) throws IOException {
    SimpleVersionedSerializer<ResumeRecoverable> serializer =
        writer(files).getResumeRecoverableSerializer();
    return serializer.deserialize(serializer.getVersion(), serializer.serialize(pending));
  }

  private static WeftRecoverableWriter writer(FileSystem fs) {
    return new WeftRecoverableWriter(fs, (LeaseRecoverable) fs);
  }

  private static FileSystem open() throws IOException {
    return FileSystem.newInstance(URI.create(SharedCluster.get().uri()), new Configuration());
  }

  private static org.apache.hadoop.fs.Path hadoop(String name) {
    return new org.apache.hadoop.fs.Path(ROOT, name);
  }

  private Path path(String name) {
    return new Path(files.makeQualified(hadoop(name)).toUri());
  }

  private byte[] read(String name) throws IOException {
    try (FSDataInputStream in = others.open(hadoop(name))) {
      return in.readAllBytes();
    }
  }

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    for (int index = 0; index < count; index++) {
      bytes[index] = (byte) (index * 31 + index / 251 + 1);
    }
    return bytes;
  }
}
