package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.grant.CloseUnwritten;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/** New files that nothing was written to, closed together (P 6.6). */
class CloseUnwrittenTest {
  private TestVolume volume;
  private TestClient client;
  private TestClient other;
  private Held first;
  private Held second;

  @BeforeEach
  void newFiles() throws WeftException {
    volume = TestVolume.formatted(6);
    client = volume.superuser();
    other = volume.superuser();
    first = Held.of(client.create("/a"));
    second = Held.of(client.create("/b"));
  }

  private static CloseUnwritten closing(Held... files) {
    return new CloseUnwritten(
        Arrays.stream(files)
            .map(file -> CloseFile.unwritten(file.object(), file.number()))
            .toList());
  }

  private ErrorCode refusalOf(CloseUnwritten closing) {
    return assertThrows(WeftException.class, () -> client.execute(closing)).code();
  }

  private void assertStillWritten() {
    for (String path : List.of("/a", "/b")) {
      WeftException refusal = assertThrows(WeftException.class, () -> other.update(path));
      assertEquals(ErrorCode.BEING_WRITTEN, refusal.code(), path);
    }
  }

  @Test
  void oneRecordClosesAllFiles() throws WeftException {
    int before = volume.records().size();
    client.execute(closing(first, second));
    assertEquals(before + 1, volume.records().size());
    assertTrue(other.attributes("/a").getUnwritten());
    assertTrue(other.attributes("/b").getUnwritten());
    other.update("/a");
    other.update("/b");
    assertEquals(List.of(), volume.machine().unsettled().all().stream().toList());
  }

  @Test
  void overAFailoverToo() throws WeftException {
    client.execute(closing(first, second));
    volume = volume.restarted();
    other = other.with(volume);
    other.update("/a");
    other.update("/b");
  }

  @Test
  void closedFileWithoutANameGoes() throws WeftException {
    other.unlink("/a");
    client.execute(closing(first, second));
    assertEquals(List.of(), volume.machine().grants());
    other.update("/b");
  }

  @Test
  void unheldFileKeepsAllFilesOpen() {
    Held unknown = new Held(second.object(), first.number());
    refusalOf(closing(first, unknown));
    assertStillWritten();
  }

  /** Why only so many grants were taken from their holders is remembered. */
  @Test
  void fileTakenLongAgoDoesNotKeepOthersOpen() throws WeftException {
    other.unlink("/a");
    client.execute(closing(first));
    client.execute(closing(first, second));
    other.update("/b");
  }

  @Test
  void noClientClosesTheFilesOfAnother() {
    assertThrows(WeftException.class, () -> other.execute(closing(first, second)));
    assertStillWritten();
  }

  @Test
  void aFileThatIsNamedTwiceIsRefused() {
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusalOf(closing(first, second, first)));
    assertStillWritten();
  }

  /** Its writer forgets the file for good. */
  @Test
  void endedGrantIsReportedOnceDurable() throws WeftException {
    other.create("/a", 0644, 0, true, false);
    Lsn replaced = volume.records().get(volume.records().size() - 1).lsn();
    Outcome.Done done = client.execute(closing(first));
    assertTrue(done.record().isEmpty());
    assertEquals(replaced, done.seen());
  }
}
