package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.reading.GrantedReads;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.attributes.SetAttributes;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.LinkFile;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.name.MakeSymlink;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.metadata.volume.operation.name.Rename;
import org.weft.metadata.volume.operation.name.Unlink;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.DropReads;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.metadata.volume.path.Permissions;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.ReadGrants;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.protocol.wire.RenewSessionReply;
import org.weft.protocol.wire.WalkStep;

/** Read grants, rule by rule (P 6.5). */
class ReadGrantTest {
  private static final long PATIENCE_MILLIS = GrantedReads.PATIENCE_NANOS / 1_000_000;
  private static final int GRANTED = 8;

  private TestVolume volume;
  private TestClient reader;
  private TestClient writer;
  private ObjectId directory;
  private ObjectId file;

  @BeforeEach
  void aFileInADirectory() throws WeftException {
    volume = TestVolume.formatted(1);
    reader = volume.cachingClient(TestVolume.SUPERUSER);
    writer = volume.client(TestVolume.SUPERUSER);
    directory = new ObjectId(writer.mkdir("/d").getObjectId());
    file = new ObjectId(writer.write("/d/f", 10).getObjectId());
  }

  private static GetAttributes stat(String path) {
    return new GetAttributes(TestClient.path(path), false, false, true, true);
  }

  /** By a client whose read lease has just been extended. */
  private AttributesReply look(TestClient client, String path) throws WeftException {
    renew(new RenewSession(client.session()));
    return TestClient.parse(AttributesReply.parser(), client.execute(stat(path)));
  }

  private static SetAttributes chmod(String path, int mode) {
    return new SetAttributes(
        TestClient.path(path),
        OptionalInt.of(mode),
        Optional.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        OptionalLong.empty());
  }

  private static RenewSession dropping(TestClient client, ObjectId object, long upTo) {
    return new RenewSession(
        client.session(),
        List.of(),
        RenewSession.Reclaim.NONE,
        new RenewSession.DroppedReads(
            List.of(new DropReads.Dropped(object, new Lsn(upTo))), Lsn.ZERO),
        "");
  }

  private RenewSessionReply renew(RenewSession renewal) {
    try {
      return RenewSessionReply.parseFrom(volume.own(renewal).reply().toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private List<GrantedReads.Word> words() {
    return volume.machine().recalledReads(volume.now());
  }

  private void assertWaitsFor(Outcome outcome, ObjectId... objects) {
    Outcome.Recall recall = assertInstanceOf(Outcome.Recall.class, outcome);
    assertTrue(recall.objects().containsAll(List.of(objects)), recall + " names " + objects[0]);
    assertTrue(volume.machine().isAwaited(recall, volume.now()));
  }

  @Test
  void anAnswerGrantsWhatItsWalkReliedOn() throws WeftException {
    ReadGrants granted = look(reader, "/d/f").getGranted();
    assertEquals(List.of("d", "f"), granted.getStepList().stream().map(WalkStep::getName).toList());
    assertEquals(
        List.of(ObjectId.ROOT.value(), directory.value()),
        granted.getStepList().stream().map(WalkStep::getDirectoryId).toList());
    assertTrue(granted.getStepList().stream().allMatch(step -> (step.getGranted() & GRANTED) != 0));
    assertTrue((granted.getNode() & GRANTED) != 0);
    assertEquals(volume.epochs(), new Lsn(granted.getNumber()).epoch());
  }

  @Test
  void rightsAreThoseOfTheSessionsUser() throws WeftException {
    TestClient other = volume.cachingClient("stranger");
    writer.chmod("/d", 0751);
    ReadGrants granted = look(other, "/d").getGranted();
    assertEquals(GRANTED | Permissions.EXECUTE, granted.getNode());
  }

  @Test
  void clientThatDoesNotCacheGetsNoReadGrant() throws WeftException {
    ReadGrants granted = look(writer, "/d/f").getGranted();
    assertEquals(0, granted.getNode());
    assertTrue(granted.getStepList().stream().allMatch(step -> step.getGranted() == 0));
  }

  @Test
  void changeWaitsInvisiblyUntilTheGrantIsDropped() throws WeftException {
    AttributesReply before = look(reader, "/d/f");
    assertWaitsFor(writer.attempt(chmod("/d/f", 0600)), file);
    assertEquals(before.getAttributes(), look(reader, "/d/f").getAttributes());
    List<GrantedReads.Word> words = words();
    assertEquals(1, words.size());
    assertEquals(reader.session(), words.get(0).session());
    assertEquals(List.of(file), words.get(0).objects());
    assertTrue(words().isEmpty(), "it is said again after a while only");
    volume.pass(600);
    assertEquals(1, words().size());

    long said = volume.machine().tellings();
    renew(dropping(reader, file, words.get(0).number().value()));
    assertTrue(volume.machine().tellings() > said, "those that wait are executed again");
    assertInstanceOf(Outcome.Done.class, writer.again());
    assertEquals(0600, look(reader, "/d/f").getAttributes().getMode());
  }

  @Test
  void answerForAnEarlierGrantDoesNotEndTheRecall() throws WeftException {
    long first = look(reader, "/d/f").getGranted().getNumber();
    look(reader, "/d/f");
    assertWaitsFor(writer.attempt(chmod("/d/f", 0600)), file);
    renew(dropping(reader, file, first));
    assertWaitsFor(writer.again(), file);
  }

  @Test
  void returnedGrantNeedsNoRecall() throws WeftException {
    long number = look(reader, "/d/f").getGranted().getNumber();
    renew(dropping(reader, file, number));
    assertInstanceOf(Outcome.Done.class, writer.attempt(chmod("/d/f", 0600)));
  }

  @Test
  void aRequestGivesBackWhatItChanges() throws WeftException {
    long number = look(reader, "/d/f").getGranted().getNumber();
    DropReads.Dropped dropped = new DropReads.Dropped(file, new Lsn(number));
    assertInstanceOf(
        Outcome.Done.class, reader.attempt(new DropReads(List.of(dropped), chmod("/d/f", 0600))));
  }

  @Test
  void ownChangesWaitForOwnGrants() throws WeftException {
    look(reader, "/d/f");
    assertWaitsFor(reader.attempt(chmod("/d/f", 0600)), file);
  }

  @Test
  void namesAreCoveredByTheirDirectoryMissingOnesToo() throws WeftException {
    AttributesReply reply = look(reader, "/d/missing");
    assertFalse(reply.getNotFound().isEmpty());
    WalkStep last = reply.getGranted().getStep(1);
    assertEquals("missing", last.getName());
    assertEquals(0, last.getObjectId());
    assertTrue((last.getGranted() & GRANTED) != 0);
    assertWaitsFor(
        writer.attempt(
            new CreateFile(TestClient.path("/d/missing"), 0644, 0, false, false, Optional.empty())),
        directory);
  }

  @Test
  void namesThatGoOrComeAreRecalled() throws WeftException {
    writer.mkdir("/e");
    for (Operation change :
        List.of(
            new Unlink(TestClient.path("/d/f")),
            new Rename(TestClient.path("/d/f"), TestClient.path("/e/f"), false),
            new MakeDirectory(TestClient.path("/d/g"), 0777, 0, false),
            new MakeSymlink(TestClient.path("/d/l"), "f"),
            new LinkFile(TestClient.path("/d/f"), TestClient.path("/d/h")))) {
      volume.pass(2_000);
      look(reader, "/d/f");
      assertWaitsFor(writer.attempt(change), directory);
      volume.pass(PATIENCE_MILLIS);
      words();
    }
  }

  @Test
  void aPathOverALinkGrantsNothing() throws WeftException {
    writer.symlink("d", "/l");
    ReadGrants granted = look(reader, "/l/f").getGranted();
    assertEquals(0, granted.getStepCount());
    assertEquals(0, granted.getNode());
  }

  @Test
  void openingForWritingRecallsAndAWrittenFileIsNotGranted() throws WeftException {
    look(reader, "/d/f");
    OpenFile update = new OpenFile(TestClient.path("/d/f"), true);
    assertWaitsFor(writer.attempt(update), file);
    renew(dropping(reader, file, Long.MAX_VALUE));
    OpenReply opened =
        TestClient.parse(OpenReply.parser(), assertInstanceOf(Outcome.Done.class, writer.again()));
    volume.pass(2_000);
    assertEquals(0, look(reader, "/d/f").getGranted().getNode());
    TestClient.Held held = TestClient.Held.of(opened);
    writer.close(held, 20, 1);
    assertTrue((look(reader, "/d/f").getGranted().getNode() & GRANTED) != 0);
  }

  @Test
  void anOpeningGrantsTheFile() throws WeftException {
    renew(new RenewSession(reader.session()));
    OpenReply opened =
        TestClient.parse(
            OpenReply.parser(),
            reader.execute(new OpenFile(TestClient.path("/d/f"), false, false, true)));
    assertTrue((opened.getGranted().getNode() & GRANTED) != 0);
    assertEquals(2, opened.getGranted().getStepCount());
    assertWaitsFor(writer.attempt(new Unlink(TestClient.path("/d/f"))), file, directory);
  }

  @Test
  void aListingGrantsTheDirectoryAndWhatIsListedWithAttributes() throws WeftException {
    ObjectId other = new ObjectId(writer.write("/d/g", 1).getObjectId());
    ReadDirectory list = new ReadDirectory(TestClient.path("/d"), 0, 10, true, false, true);
    renew(new RenewSession(reader.session()));
    ReaddirReply page = TestClient.parse(ReaddirReply.parser(), reader.execute(list));
    assertTrue((page.getGranted().getNode() & GRANTED) != 0);
    assertTrue(
        page.getEntriesList().stream().allMatch(entry -> (entry.getGranted() & GRANTED) != 0));
    assertWaitsFor(writer.attempt(chmod("/d/g", 0600)), other);
  }

  @Test
  void renewalListsRecallsAndExtendsTheLeaseForTheRest() throws WeftException {
    look(reader, "/d/f");
    assertWaitsFor(writer.attempt(chmod("/d/f", 0600)), file);
    RenewSessionReply reply = renew(new RenewSession(reader.session()));
    assertEquals(GrantedReads.LEASE_MILLIS, reply.getReadLeaseMillis());
    assertEquals(List.of(file.value()), reply.getRecalledObjectList());
    assertTrue(renew(new RenewSession(writer.session())).getRecalledObjectList().isEmpty());
  }

  @Test
  void aRenewalAfterTheLeaseSaysThatAllGrantsAreGone() throws WeftException {
    look(reader, "/d/f");
    assertFalse(renew(new RenewSession(reader.session())).getRecalledAll());
    volume.pass(GrantedReads.LEASE_MILLIS + 400);
    writer.chmod("/d/f", 0600);
    // The session's clock may have stood still, so that its lease goes on for all that it knows.
    assertTrue(renew(new RenewSession(reader.session())).getRecalledAll());
    assertFalse(renew(new RenewSession(reader.session())).getRecalledAll());
  }

  @Test
  void unansweredRecallEndsWithTheReadLease() throws WeftException {
    look(reader, "/d/f");
    assertWaitsFor(writer.attempt(chmod("/d/f", 0600)), file);
    volume.pass(GrantedReads.LEASE_MILLIS);
    // Its answer names what is recalled.
    renew(new RenewSession(reader.session()));
    words();
    assertWaitsFor(writer.again(), file);
    volume.pass(PATIENCE_MILLIS - GrantedReads.LEASE_MILLIS);
    words();
    assertInstanceOf(Outcome.Done.class, writer.again());
    assertTrue(volume.machine().hasSession(reader.session()));
  }

  @Test
  void clientWithAnEndedReadLeaseDelaysNoFurtherChange() throws WeftException {
    look(reader, "/d/f");
    volume.pass(PATIENCE_MILLIS - 1_000);
    assertWaitsFor(writer.attempt(chmod("/d/f", 0600)), file);
    volume.pass(1_000);
    words();
    assertInstanceOf(Outcome.Done.class, writer.again());
    assertInstanceOf(Outcome.Done.class, writer.attempt(chmod("/d", 0700)));
  }

  @Test
  void recalledObjectIsNotGrantedAgainForAWhile() throws WeftException {
    look(reader, "/d/f");
    assertWaitsFor(writer.attempt(chmod("/d/f", 0600)), file);
    assertEquals(0, look(reader, "/d/f").getGranted().getNode());
    renew(dropping(reader, file, Long.MAX_VALUE));
    writer.again();
    assertEquals(0, look(reader, "/d/f").getGranted().getNode());
    volume.pass(1_000);
    assertTrue((look(reader, "/d/f").getGranted().getNode() & GRANTED) != 0);
  }

  @Test
  void grantsEndWithTheirSession() throws WeftException {
    look(reader, "/d/f");
    volume.own(new CloseSession(reader.session()));
    assertInstanceOf(Outcome.Done.class, writer.attempt(chmod("/d/f", 0600)));
  }

  @Test
  void aManagerThatStartsChangesNothingBeforeSessionsThatCacheHaveReclaimed() throws WeftException {
    look(reader, "/d/f");
    TestVolume next = volume.restarted();
    TestClient elsewhere = writer.with(next);
    Outcome outcome = elsewhere.attempt(chmod("/d/f", 0600));
    assertInstanceOf(Outcome.Recall.class, outcome);
    AttributesReply shown =
        TestClient.parse(AttributesReply.parser(), reader.with(next).execute(stat("/d/f")));
    assertEquals(0, shown.getGranted().getNode(), "it may still rely on another manager's grants");
    next.own(new RenewSession(reader.session()));
    assertInstanceOf(Outcome.Recall.class, elsewhere.again());
    long said = next.machine().tellings();
    next.own(reader.with(next).reclaiming(next.epochs()));
    assertTrue(next.machine().tellings() > said);
    assertInstanceOf(Outcome.Done.class, elsewhere.again());
  }

  @Test
  void aManagerThatStartsWaitsNoLongerThanAReadLease() throws WeftException {
    look(reader, "/d/f");
    TestVolume next = TestVolume.recovered(2, volume.machine().snapshot(), volume.records());
    TestClient elsewhere = writer.with(next);
    assertInstanceOf(Outcome.Recall.class, elsewhere.attempt(chmod("/d/f", 0600)));
    next.pass(PATIENCE_MILLIS);
    assertInstanceOf(Outcome.Done.class, elsewhere.again());
  }

  @Test
  void aManagerThatStartsWaitsForNoClientThatDoesNotCache() throws WeftException {
    volume.own(new CloseSession(reader.session()));
    TestVolume next = volume.restarted();
    assertInstanceOf(Outcome.Done.class, writer.with(next).attempt(chmod("/d/f", 0600)));
  }

  @Test
  void writtenFileDoesNotWaitForReclaimingClients() throws WeftException {
    TestClient.Held held = TestClient.Held.of(writer.update("/d/f"));
    TestVolume next = volume.restarted();
    CloseFile closing = new CloseFile(held.object(), held.number(), 30, 1, false, false);
    next.own(writer.with(next).reclaiming(next.epochs()));
    assertInstanceOf(Outcome.Done.class, writer.with(next).attempt(closing));
  }

  @Test
  void aSessionHasABoundedNumberOfGrants() {
    GrantedReads reads = new GrantedReads();
    reads.sessionOpened(reader.session(), true);
    reads.begin(3, 0);
    reads.reclaimed(reader.session());
    Lsn number = reads.nextNumber();
    for (int object = 0; object < GrantedReads.MAX_OF_SESSION; object++) {
      assertTrue(reads.give(reader.session(), new ObjectId(10 + object), number, 0));
    }
    assertFalse(reads.give(reader.session(), new ObjectId(5), number, 0));
    assertTrue(reads.give(reader.session(), new ObjectId(10), number, 0), "it has that already");
    reads.dropped(reader.session(), new ObjectId(11), number);
    assertTrue(reads.give(reader.session(), new ObjectId(5), number, 0));
    assertEquals(GrantedReads.MAX_OF_SESSION, reads.size());
  }

  @Test
  void manyRecallsAreSentInBoundedMessages() {
    GrantedReads reads = new GrantedReads();
    reads.sessionOpened(reader.session(), true);
    Lsn number = reads.nextNumber();
    List<ObjectId> objects =
        Stream.iterate(10L, id -> id + 1).limit(2_500).map(ObjectId::new).toList();
    reads.renewed(reader.session(), 0);
    objects.forEach(object -> reads.give(reader.session(), object, number, 0));
    assertFalse(reads.recall(objects, 0));
    assertEquals(
        List.of(1_000, 1_000, 500),
        reads.toSend(0).stream().map(word -> word.objects().size()).toList());
    reads.droppedAll(reader.session(), number);
    assertFalse(reads.isAwaited(objects, 0));
  }
}
