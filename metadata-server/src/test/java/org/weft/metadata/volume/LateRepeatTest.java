package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.grant.RecoverLease;
import org.weft.metadata.volume.operation.grant.ReleaseRange;
import org.weft.metadata.volume.operation.length.SetLength;
import org.weft.metadata.volume.operation.lock.LockRange;
import org.weft.metadata.volume.operation.lock.UnlockRange;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.name.Rename;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.LockRangeReply;

/**
 * A request that found nothing to do is answered once, though no record holds the answer (P
 * 6.5.117). A late attempt that was stuck on an abandoned connection does nothing.
 */
class LateRepeatTest {
  private static final ByteString OWNER = ByteString.copyFromUtf8("owner");
  private static final ByteRange RANGE = new ByteRange(0, 10);

  private TestVolume volume;
  private TestClient client;

  /** Of the same session: what it asks for after the late request was answered elsewhere. */
  private TestClient since;

  private TestClient other;

  @BeforeEach
  void twoClients() throws WeftException {
    volume = TestVolume.formatted(3);
    client = volume.superuser();
    since = client.inSlot(1);
    other = volume.client(TestVolume.SUPERUSER);
  }

  private Outcome.Done withoutRecord(Operation operation) throws WeftException {
    int records = volume.records().size();
    Outcome.Done done = client.execute(operation);
    assertEquals(records, volume.records().size(), "it found nothing to do");
    return done;
  }

  private void lateRepeatOf(Outcome.Done first) throws WeftException {
    int records = volume.records().size();
    assertEquals(first.reply().toByteString(), client.retry().reply().toByteString());
    assertEquals(records, volume.records().size());
  }

  private static void refused(ErrorCode code, Executable request) {
    assertEquals(code, assertThrows(WeftException.class, request).code());
  }

  @Test
  void lateReleaseDoesNotTakeANewlyAcquiredRange() throws WeftException {
    long stripe = StorageMap.fromMessage(client.write("/f", 100).getMap()).layout().stripeBytes();
    ByteRange beginning = new ByteRange(0, stripe);
    Held one = Held.of(since.share("/f"));
    Held two = Held.of(other.share("/f"));
    Outcome.Done first =
        withoutRecord(new ReleaseRange(one.object(), one.number(), beginning, 100, 0));
    assertEquals(beginning, since.acquire(one, beginning));
    lateRepeatOf(first);
    refused(ErrorCode.BUSY, () -> other.acquire(two, beginning));
  }

  private static LockRange lock() {
    return new LockRange(TestClient.path("/f"), OWNER, RANGE, true, 0, false, false);
  }

  private ObjectId file() throws WeftException {
    return new ObjectId(client.write("/f", 100).getObjectId());
  }

  @Test
  void lateLockRequestIsNotGrantedAfterARefusal() throws WeftException {
    ObjectId file = file();
    assertEquals(LockRangeReply.Outcome.GRANTED, other.lock(lock()).getOutcome());
    Outcome.Done first = withoutRecord(lock());
    assertTrue(other.unlock(new UnlockRange(file, OWNER, RANGE)));
    lateRepeatOf(first);
    assertEquals(LockRangeReply.Outcome.GRANTED, other.lock(lock()).getOutcome());
  }

  @Test
  void lateUnlockDoesNotFreeALaterLock() throws WeftException {
    ObjectId file = file();
    Outcome.Done first = withoutRecord(new UnlockRange(file, OWNER, RANGE));
    assertEquals(LockRangeReply.Outcome.GRANTED, since.lock(lock()).getOutcome());
    lateRepeatOf(first);
    assertEquals(LockRangeReply.Outcome.HELD, other.lock(lock()).getOutcome());
  }

  @Test
  void lateMkdirDoesNotRecreateARemovedDirectory() throws WeftException {
    client.mkdir("/d");
    Outcome.Done first = withoutRecord(new MakeDirectory(TestClient.path("/d"), 0755, 0, true));
    other.rmdir("/d");
    lateRepeatOf(first);
    refused(ErrorCode.NOT_FOUND, () -> other.attributes("/d"));
  }

  @Test
  void aWriterThatCameSinceDoesNotLoseItsGrant() throws WeftException {
    file();
    Outcome.Done first = withoutRecord(new RecoverLease(TestClient.path("/f")));
    Held writing = Held.of(other.update("/f"));
    lateRepeatOf(first);
    assertEquals(200, other.publish(writing, 200).getSize());
  }

  @Test
  void lateSetLengthDoesNotCutNewBytes() throws WeftException {
    file();
    Held held = Held.of(since.update("/f"));
    Outcome.Done first =
        withoutRecord(new SetLength(held.object(), held.number(), 100, 0, OptionalLong.empty()));
    assertEquals(200, since.publish(held, 200).getSize());
    lateRepeatOf(first);
    assertEquals(200, other.attributes("/f").getSize());
  }

  @Test
  void aFileThatWasTheSameIsNotReplacedByAnother() throws WeftException {
    file();
    client.link("/f", "/g");
    Outcome.Done first =
        withoutRecord(new Rename(TestClient.path("/f"), TestClient.path("/g"), true));
    other.unlink("/g");
    long made = other.write("/g", 10).getObjectId();
    lateRepeatOf(first);
    assertEquals(made, other.attributes("/g").getObjectId());
    assertFalse(other.attributes("/f").getObjectId() == made);
  }
}
