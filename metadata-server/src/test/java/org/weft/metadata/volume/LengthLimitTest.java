package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Truncation;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.length.SetLength;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.OpenReply;

/** A length that OSDs refuse is refused before it is journalled (P 4.3). */
class LengthLimitTest {
  private static final long MAX_BYTES = FileLimits.MAX_FILE_BYTES;
  private static final int TRUNCATIONS = 3;

  private TestVolume volume;
  private TestClient writer;

  @BeforeEach
  void oneClient() throws WeftException {
    volume = TestVolume.formatted(3);
    writer = volume.superuser();
  }

  private void assertRefused(Executable call) {
    int records = volume.records().size();
    WeftException refusal = assertThrows(WeftException.class, call);
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    String text = refusal.getMessage();
    assertTrue(text.contains(Long.toString(MAX_BYTES)), text);
    assertEquals(records, volume.records().size(), "nothing is journalled");
  }

  @Test
  void noRequestMakesAFileLongerThanItMayBe() throws WeftException {
    writer.write("/f", 100);
    Held held = Held.of(writer.update("/f"));
    for (long length : new long[] {MAX_BYTES + 1, Long.MAX_VALUE, -1}) {
      assertRefused(() -> writer.setLength(held, length));
      assertRefused(() -> writer.publish(held, length));
      assertRefused(() -> writer.close(held, length, 1));
      assertRefused(
          () ->
              writer.execute(
                  new SetLength(held.object(), held.number(), 50, 1, OptionalLong.of(length))));
    }
    assertEquals(MAX_BYTES, writer.setLength(held, MAX_BYTES).getSize());
    assertEquals(MAX_BYTES, writer.close(held, MAX_BYTES, 1).getSize());
  }

  @Test
  void aWriterThatSharesAFileDoesNotMakeItLongerEither() throws WeftException {
    writer.write("/f", 100);
    OpenReply opened = writer.share("/f");
    Held held = Held.of(opened);
    long stripeBytes =
        (long) opened.getGrant().getMap().getLayout().getDataUnits()
            * opened.getGrant().getMap().getLayout().getUnitBytes();
    ByteRange range = new ByteRange(0, stripeBytes);
    writer.acquire(held, range);
    assertRefused(() -> writer.release(held, range, MAX_BYTES + 1));
  }

  /** As a release journalled it that took every length. */
  private void journalled(long sizeBytes, OptionalLong trimBytes) throws WeftException {
    var object = Held.of(writer.open("/f")).object();
    var unused =
        volume.own(
            on -> {
              Attributes file = on.view().attributes(object, List.of(), "/f");
              Truncation truncation = new Truncation(TRUNCATIONS, trimBytes);
              on.draft().put(file.edit().sizeBytes(sizeBytes).truncation(truncation).build());
              return Empty.getDefaultInstance();
            });
  }

  @Test
  void nextWriterFinishesATruncationBeyondTheLimitAtTheLimit() throws WeftException {
    writer.write("/f", 100);
    journalled(MAX_BYTES + 5, OptionalLong.of(MAX_BYTES + 5));
    OpenReply opened = writer.update("/f");
    assertEquals(MAX_BYTES, opened.getAttributes().getSize());
    assertTrue(opened.getGrant().getHasTrim());
    assertEquals(MAX_BYTES, opened.getGrant().getTrim());
    assertEquals(TRUNCATIONS + 1, opened.getGrant().getTruncationNumber());
    Held held = Held.of(opened);
    assertFalse(writer.trimmed(held, TRUNCATIONS + 1).getHasTrim());
    assertEquals(70, writer.setLength(held, 70).getSize());
    writer.trimmed(held, TRUNCATIONS + 2);
    assertEquals(80, writer.close(held, 80, 2).getSize());
  }

  @Test
  void sharedOpeningCutsALengthBeyondTheLimit() throws WeftException {
    writer.write("/f", 100);
    journalled(Long.MAX_VALUE, OptionalLong.empty());
    OpenReply opened = writer.share("/f");
    assertTrue(opened.getGrant().getHasTrim());
    assertEquals(MAX_BYTES, opened.getGrant().getTrim());
    // It is what the next manager knows, too.
    TestVolume next = volume.restarted();
    assertEquals(MAX_BYTES, next.superuser().attributes("/f").getSize());
  }

  @Test
  void aResolveDoesNotBringALengthBeyondTheLimitBack() throws WeftException {
    writer.write("/f", 100);
    Held held = Held.of(writer.update("/f"));
    writer.abandon(held);
    WriteGrant grant = volume.machine().resolving().get(0);
    var unused = volume.own(new FinishResolve(grant.number(), Long.MAX_VALUE));
    assertEquals(MAX_BYTES, writer.attributes("/f").getSize());
  }
}
