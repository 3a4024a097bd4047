package org.weft.flink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.random.RandomGenerator;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream.Committer;
import org.apache.flink.core.fs.RecoverableWriter.CommitRecoverable;
import org.apache.flink.core.fs.RecoverableWriter.ResumeRecoverable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.hadoop.SharedCluster;
import org.weft.hadoop.WeftHadoopFileSystem;

/** Files of Flink's exactly-once sink, before and after failures. */
@Timeout(120)
class WeftRecoverableWriterTest {
  private static final org.apache.hadoop.fs.Path ROOT = new org.apache.hadoop.fs.Path("/tmp/flink");
  private static final int CHECKPOINT_BYTES = 100_000;
  private static final int LATER_BYTES = 70_000;

  /** Of a user, for the process that writes first. */
  private WeftHadoopFileSystem files;

  /** The superuser's, thus of another session with the cluster. */
  private WeftHadoopFileSystem others;

  @BeforeEach
  void connect() throws Exception {
    others = open();
    files =
        UserGroupInformation.createRemoteUser("ann")
            .doAs((PrivilegedExceptionAction<WeftHadoopFileSystem>) () -> open());
    others.delete(ROOT, true);
    others.mkdirs(ROOT);
    others.setPermission(ROOT, new FsPermission((short) 0777));
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
  void recoveredFileContinuesAtItsCheckpointAndShutsOutTheOldWriter() throws IOException {
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
  void commitAfterAFailureShutsOutTheOldWriter() throws IOException {
    RecoverableFsDataOutputStream out = writer(files).open(path("zombie"));
    CommitRecoverable checkpoint = persistedAndWrittenOn(out);
    writer(others).recoverForCommit(checkpoint).commitAfterRecovery();
    assertThrows(IOException.class, out::persist);
    assertArrayEquals(bytes(CHECKPOINT_BYTES), read("zombie"));
  }

  @Test
  void aCommitTakesTheFileFromAWriterThatStillRuns() throws IOException {
    RecoverableFsDataOutputStream out = writer(files).open(path("zombie"));
    CommitRecoverable checkpoint = persistedAndWrittenOn(out);
    writer(others).recoverForCommit(checkpoint).commit();
    assertThrows(IOException.class, out::persist);
    assertArrayEquals(bytes(CHECKPOINT_BYTES), read("zombie"));
  }

  /** What is written after the checkpoint waits in its client: the file's length stays. */
  private static CommitRecoverable persistedAndWrittenOn(RecoverableFsDataOutputStream out)
      throws IOException {
    out.write(bytes(CHECKPOINT_BYTES), 0, CHECKPOINT_BYTES);
    CommitRecoverable checkpoint = (CommitRecoverable) out.persist();
    out.write(new byte[LATER_BYTES], 0, LATER_BYTES);
    return checkpoint;
  }

  @Test
  void fileMissingUnderBothNamesIsNotCommitted() throws IOException {
    PendingFile file = closed("lost");
    others.delete(file.temporary(), false);
    IOException failed =
        assertThrows(
            IOException.class, () -> writer(others).recoverForCommit(file).commitAfterRecovery());
    assertTrue(failed.getMessage().contains(file.temporary().toString()), failed::getMessage);
    assertTrue(failed.getMessage().contains(file.target().toString()), failed::getMessage);
  }

  @Test
  void targetOfAnotherLengthIsNotTheCommittedFile() throws IOException {
    PendingFile file = closed("other");
    others.delete(file.temporary(), false);
    try (FSDataOutputStream other = others.create(file.target())) {
      other.write(1);
    }
    IOException failed =
        assertThrows(
            IOException.class, () -> writer(others).recoverForCommit(file).commitAfterRecovery());
    assertTrue(failed.getMessage().contains(file.temporary().toString()), failed::getMessage);
    assertTrue(failed.getMessage().contains(file.target().toString()), failed::getMessage);
  }

  @Test
  void directoryAtTheTargetIsNotTheCommittedFile() throws IOException {
    RecoverableFsDataOutputStream out = writer(files).open(path("folder"));
    PendingFile file = (PendingFile) out.closeForCommit().getRecoverable();
    others.delete(file.temporary(), false);
    others.mkdirs(file.target());
    assertThrows(
        IOException.class, () -> writer(others).recoverForCommit(file).commitAfterRecovery());
  }

  private PendingFile closed(String name) throws IOException {
    RecoverableFsDataOutputStream out = writer(files).open(path(name));
    out.write(bytes(CHECKPOINT_BYTES), 0, CHECKPOINT_BYTES);
    return (PendingFile) out.closeForCommit().getRecoverable();
  }

  @Test
  void aFileIsNotCommittedIntoADirectoryOfItsName() throws IOException {
    PendingFile file = closed("directory");
    others.mkdirs(file.target());
    assertThrows(
        IOException.class, () -> writer(others).recoverForCommit(file).commitAfterRecovery());
    assertEquals(0, others.listStatus(file.target()).length);
    assertEquals(CHECKPOINT_BYTES, others.getFileStatus(file.temporary()).getLen());
  }

  @ParameterizedTest
  @ValueSource(strings = {"n", "\u00e9", "\ud83d\ude00"})
  void aNameMayBeAsLongAsTheClusterTakesIt(String character) throws IOException {
    int characterBytes = character.getBytes(StandardCharsets.UTF_8).length;
    String name = character.repeat(255 / characterBytes);
    RecoverableFsDataOutputStream out = writer(files).open(path(name));
    out.write(bytes(CHECKPOINT_BYTES), 0, CHECKPOINT_BYTES);
    out.closeForCommit().commit();
    assertArrayEquals(bytes(CHECKPOINT_BYTES), read(name));
  }

  @Test
  void aNameThatIsTooLongIsRefusedBeforeAnythingIsWritten() throws IOException {
    Path path = path("n".repeat(256));
    assertThrows(IOException.class, () -> writer(files).open(path));
    assertEquals(0, others.listStatus(ROOT).length);
  }

  @Test
  void foreignRecoverableIsRefusedByItsType() {
    WeftRecoverableWriter writer = writer(files);
    for (IllegalArgumentException refused :
        List.of(
            assertThrows(
                IllegalArgumentException.class, () -> writer.recover(new ForeignResumable())),
            assertThrows(
                IllegalArgumentException.class,
                () -> writer.recoverForCommit(new ForeignResumable())))) {
      assertTrue(
          refused.getMessage().contains(ForeignResumable.class.getName()), refused::getMessage);
    }
  }

  private record ForeignResumable() implements ResumeRecoverable, CommitRecoverable {}

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

  private static WeftRecoverableWriter writer(WeftHadoopFileSystem fs) {
    return new WeftRecoverableWriter(fs, RandomGenerator.of("SecureRandom"));
  }

  private static WeftHadoopFileSystem open() throws IOException {
    return (WeftHadoopFileSystem)
        FileSystem.newInstance(URI.create(SharedCluster.get().uri()), new Configuration());
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
