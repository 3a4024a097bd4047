package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.reading.GrantedReads;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.length.PublishLength;
import org.weft.metadata.volume.operation.number.OpenNode;
import org.weft.metadata.volume.operation.number.RemoveName;
import org.weft.metadata.volume.operation.number.SetNode;
import org.weft.metadata.volume.operation.session.DropReads;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.NodeReply;
import org.weft.protocol.wire.OpenReply;

/** Read grants of files that are named by their numbers (P 6.5c.8). */
class GrantByNumberTest {
  private static final int GRANTED = 8;
  private static final int RIGHTS_GRANTED = 16;
  private static final int READ = 4;
  private static final int WRITE = 2;
  private static final Credentials ANN = new Credentials("ann", List.of("makers"), false);
  private static final Credentials BOB = new Credentials("bob", List.of("users"), false);

  private TestVolume volume;
  private NumberedClient reader;
  private NumberedClient writer;
  private long file;

  @BeforeEach
  void aFile() throws WeftException {
    volume = TestVolume.formatted(4);
    reader = new NumberedClient(volume.trustedCachingClient("gateway"), NumberedClient.ROOT);
    writer = new NumberedClient(volume.trustedClient("other"), NumberedClient.ROOT);
    file =
        writer
            .make(ObjectId.ROOT.value(), "f", NodeKind.FILE, NumberedClient.mode(0640))
            .getNode()
            .getAfter()
            .getObjectId();
    writer.set(file, NumberedClient.owner("ann"), OptionalLong.empty());
  }

  private NodeReply look(NumberedClient client) throws WeftException {
    var unused = volume.own(new RenewSession(client.client().session()));
    return client.lookToRead(file);
  }

  private static boolean isGranted(NodeReply reply) {
    return (reply.getGranted().getNode() & GRANTED) != 0;
  }

  private Outcome chmod(int mode) {
    return writer
        .client()
        .attempt(
            NumberedClient.ROOT,
            new SetNode(new ObjectId(file), NumberedClient.mode(mode), OptionalLong.empty()));
  }

  private static RenewSession dropping(NumberedClient client, long object) {
    return new RenewSession(
        client.client().session(),
        List.of(),
        RenewSession.Reclaim.NONE,
        new RenewSession.DroppedReads(
            List.of(new DropReads.Dropped(new ObjectId(object), new Lsn(Long.MAX_VALUE))),
            Lsn.ZERO),
        "");
  }

  @Test
  void aFileIsGrantedWithTheRightsOfTheCaller() throws WeftException {
    NodeReply ann = look(reader.as(ANN));
    assertTrue(isGranted(ann));
    assertTrue((ann.getRights() & READ) != 0);
    NodeReply bob = look(reader.as(BOB));
    assertTrue(isGranted(bob), "for all users that the session asks for");
    assertEquals(0, bob.getRights());
    assertTrue(ann.getGranted().getNumber() < bob.getGranted().getNumber());
  }

  @Test
  void directoriesAndUninterestedClientsGetNoReadGrant() throws WeftException {
    var unused = volume.own(new RenewSession(reader.client().session()));
    assertFalse(reader.lookToRead(ObjectId.ROOT.value()).hasGranted());
    assertFalse(isGranted(look(writer)));
  }

  @Test
  void aChangeWaitsUntilTheGrantIsDropped() throws WeftException {
    assertTrue(isGranted(look(reader)));
    Outcome.Recall recall = assertInstanceOf(Outcome.Recall.class, chmod(0600));
    assertTrue(recall.objects().contains(new ObjectId(file)));
    List<GrantedReads.Word> words = volume.machine().recalledReads(volume.now());
    assertEquals(List.of(new ObjectId(file)), words.get(0).objects());
    assertEquals(0640, look(reader).getNode().getAfter().getMode());
    var unused = volume.own(dropping(reader, file));
    assertInstanceOf(Outcome.Done.class, writer.client().again());
    assertEquals(0600, reader.look(file).getMode());
  }

  @Test
  void writtenFileIsNotGrantedAndOpeningForWritingRecalls() throws WeftException {
    assertTrue(isGranted(look(reader)));
    OpenNode opening = new OpenNode(new ObjectId(file), true, true);
    assertInstanceOf(Outcome.Recall.class, writer.client().attempt(opening));
    var unused = volume.own(dropping(reader, file));
    assertInstanceOf(Outcome.Done.class, writer.client().again());
    volume.pass(2_000);
    NodeReply written = look(reader);
    assertTrue(written.getBeingWritten());
    assertFalse(isGranted(written));
  }

  private TestClient.Held written() throws WeftException {
    Outcome.Done opened = writer.client().execute(new OpenNode(new ObjectId(file), true, false));
    TestClient.Held held = TestClient.Held.of(TestClient.parse(OpenReply.parser(), opened));
    var unused = publish(held, 10);
    return held;
  }

  private Outcome publish(TestClient.Held held, long sizeBytes) {
    return writer
        .client()
        .attempt(new PublishLength(held.object(), held.number(), sizeBytes, 1, false, true));
  }

  private NodeReply lookToWrite(NumberedClient client) throws WeftException {
    var unused = volume.own(new RenewSession(client.client().session()));
    return client.lookToWrite(file);
  }

  @Test
  void writtenFileGrantsRightsWithoutDelayingItsWriter() throws WeftException {
    assertEquals(0, lookToWrite(reader).getGranted().getNode(), "no client writes it");
    TestClient.Held held = written();
    NodeReply reply = lookToWrite(reader.as(ANN));
    assertEquals(RIGHTS_GRANTED, reply.getGranted().getNode());
    assertEquals(READ | WRITE, reply.getRights());
    assertEquals(0, lookToWrite(writer).getGranted().getNode(), "it did not want any");
    assertInstanceOf(Outcome.Done.class, publish(held, 20));
    assertInstanceOf(
        Outcome.Done.class,
        writer.client().attempt(new CloseFile(held.object(), held.number(), 30, 2, false, true)));
    assertInstanceOf(Outcome.Recall.class, chmod(0600), "the rights are granted still");
  }

  @Test
  void rightsChangeOfAWrittenFileWaitsForItsReaders() throws WeftException {
    var unused = written();
    var granted = lookToWrite(reader);
    assertEquals(RIGHTS_GRANTED, granted.getGranted().getNode());
    Outcome.Recall recall = assertInstanceOf(Outcome.Recall.class, chmod(0600));
    assertEquals(List.of(new ObjectId(file)), List.copyOf(recall.objects()));
    assertEquals(0, lookToWrite(reader).getGranted().getNode(), "as long as it is recalled");
    var unusedToo = volume.own(dropping(reader, file));
    assertInstanceOf(Outcome.Done.class, writer.client().again());
    assertEquals(0600, reader.look(file).getMode());
  }

  @Test
  void removalOfTheLastNameWaitsForGrantedRights() throws WeftException {
    var unused = written();
    var granted = lookToWrite(reader);
    assertEquals(RIGHTS_GRANTED, granted.getGranted().getNode());
    RemoveName removal = new RemoveName(ObjectId.ROOT, "f", false);
    assertInstanceOf(Outcome.Recall.class, writer.client().attempt(NumberedClient.ROOT, removal));
    var unusedToo = volume.own(dropping(reader, file));
    assertInstanceOf(Outcome.Done.class, writer.client().again());
  }

  /** It does not know which rights another one granted; of lengths none did. */
  @Test
  void aManagerThatStartsChangesNoRightsBeforeClientsHaveReclaimed() throws WeftException {
    TestClient.Held held = written();
    var granted = lookToWrite(reader);
    assertEquals(RIGHTS_GRANTED, granted.getGranted().getNode());
    TestVolume next = volume.restarted();
    TestClient elsewhere = writer.client().with(next);
    var unused = next.own(elsewhere.reclaiming(next.epochs()));
    assertInstanceOf(
        Outcome.Done.class,
        elsewhere.attempt(new PublishLength(held.object(), held.number(), 20, 1, false, true)));
    assertInstanceOf(
        Outcome.Recall.class,
        elsewhere.attempt(
            NumberedClient.ROOT,
            new SetNode(new ObjectId(file), NumberedClient.mode(0600), OptionalLong.empty())));
    var unusedToo = next.own(reader.client().with(next).reclaiming(next.epochs()));
    assertInstanceOf(Outcome.Done.class, elsewhere.again());
  }
}
