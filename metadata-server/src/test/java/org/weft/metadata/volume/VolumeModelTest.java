package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.ModelVolume.FileState;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.operation.grant.RecoverLease;
import org.weft.metadata.volume.operation.grant.Regrant;
import org.weft.metadata.volume.operation.length.BeginCut;
import org.weft.metadata.volume.operation.length.FinishCut;
import org.weft.metadata.volume.operation.length.FinishTrim;
import org.weft.metadata.volume.operation.length.PublishLength;
import org.weft.metadata.volume.operation.length.SetLength;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.RecoverLeaseReply;
import org.weft.protocol.wire.RegrantReply;
import org.weft.testkit.names.NameUser;

/**
 * Random operations of several users, compared with a model after each. Then managers restart from
 * every prefix of the journal. Each must show exactly the state that was acknowledged with its last
 * record (P 6.1, 6.3, 6.4).
 */
class VolumeModelTest extends VolumeAgainstModel {
  private static final int OPERATIONS = 250;

  /** A file that is being written, in both worlds. */
  private record Writing(int user, Held held, StorageMap map, FileState file) {}

  /** How far a client has come with a file that it writes. */
  private record Published(int user, ObjectId object, long sizeBytes) {}

  /** What was to be seen after a record. */
  private record Seen(
      int records, List<String> names, List<LiveEffect> live, List<Published> published) {}

  private final List<Writing> writing = new ArrayList<>();
  private final List<Seen> history = new ArrayList<>();

  @ParameterizedTest
  @MethodSource("seeds")
  void behavesLikeTheModelAndSurvivesRestartsFromEveryPrefix(long seed) throws WeftException {
    begin(seed);
    for (int step = 0; step < OPERATIONS; step++) {
      step();
      remember();
    }
    for (Seen seen : history) {
      assertSeen(seen, volume.restarted(seen.records()), "replay of " + seen.records());
    }
    Seen end = history.get(history.size() - 1);
    for (int round = 0; round < 10; round++) {
      Seen covered = history.get(random.nextInt(history.size()));
      TestVolume restarted =
          TestVolume.recovered(7, covered.live(), volume.recordsBehindSnapshot(covered.records()));
      assertSeen(end, restarted, "snapshot after " + covered.records());
    }
  }

  private void assertSeen(Seen seen, TestVolume restarted, String what) throws WeftException {
    List<LiveEffect> live = restarted.machine().snapshot();
    reclaim(seen, restarted);
    assertLive(seen.live(), live, what);
    assertEquals(seen.names(), dump(restarted), what);
  }

  /** Every client says what it has published; before that no client is told of those files. */
  private void reclaim(Seen seen, TestVolume restarted) {
    for (int user = 0; user < clients.size(); user++) {
      int actor = user;
      List<RenewSession.PublishedLength> lengths =
          seen.published().stream()
              .filter(each -> each.user() == actor)
              .map(
                  each ->
                      new RenewSession.PublishedLength(
                          each.object(), each.sizeBytes(), OptionalInt.empty()))
              .toList();
      restarted.own(
          new RenewSession(
              clients.get(user).session(),
              List.of(),
              new RenewSession.Reclaim(restarted.epochs(), true, List.of(), lengths)));
    }
  }

  private void remember() throws WeftException {
    assertEquals(model.dump(), dump(volume));
    assertEquals(model.missing(), volume.machine().repairs().size());
    assertEquals(writing.size(), volume.machine().counts().writeGrants());
    // Looking opened a session, which is part of what a restart has to bring back.
    List<Published> published =
        writing.stream()
            .map(open -> new Published(open.user(), open.held().object(), open.file().size))
            .toList();
    history.add(
        new Seen(volume.records().size(), model.dump(), volume.machine().snapshot(), published));
  }

  private void step() throws WeftException {
    int actor = random.nextInt(USERS.size());
    int kind = random.nextInt(100);
    if (kind < 16) {
      createFile(actor);
    } else if (kind < 24) {
      update(actor);
    } else if (kind < 38) {
      whileWriting();
    } else if (kind < 52) {
      mkdir(actor);
    } else if (kind < 64) {
      rename(actor);
    } else if (kind < 67) {
      recoverLease(actor);
    } else if (kind < 74) {
      unlink(actor);
    } else if (kind < 82) {
      rmdir(actor);
    } else if (kind < 90) {
      setAttributes(actor);
    } else {
      look(actor);
    }
  }

  private void createFile(int actor) {
    create(actor)
        .ifPresent(
            reply -> {
              assertEquals(0, reply.getAttributes().getSize());
              endReplaced();
              writing.add(
                  new Writing(actor, Held.of(reply), map(reply.getGrant()), model.created()));
            });
  }

  /** Writers of what was replaced are shut out, and what they have to say is refused. */
  private void endReplaced() {
    for (Writing open : List.copyOf(writing)) {
      if (!open.file().beingWritten) {
        check(
            ErrorCode.GRANT_REVOKED,
            open.user(),
            new PublishLength(open.held().object(), open.held().number(), 1, 1, false));
        writing.remove(open);
      }
    }
  }

  private static StorageMap map(Grant grant) {
    return StorageMap.fromMessage(grant.getMap());
  }

  private void update(int actor) {
    List<String> path = path();
    ErrorCode expected = model.update(path, USERS.get(actor));
    Outcome.Done done = check(expected, actor, new OpenFile(node(path), true));
    if (done != null) {
      OpenReply reply = TestClient.parse(OpenReply.parser(), done);
      FileState file = model.find(path);
      assertEquals(file.size, reply.getAttributes().getSize());
      assertEquals(file.trim, reply.getGrant().getHasTrim());
      assertEquals(file.cuts, reply.getGrant().getTruncationNumber());
      assertEquals(file.missing, reply.getGrant().getMap().getMissingCount());
      writing.add(new Writing(actor, Held.of(reply), map(reply.getGrant()), file));
    }
  }

  /** A writer publishes, cuts, loses a component or closes. */
  private void whileWriting() {
    if (writing.isEmpty()) {
      return;
    }
    int index = random.nextInt(writing.size());
    Writing open = writing.get(index);
    ObjectId object = open.held().object();
    Lsn number = open.held().number();
    long size = random.nextInt(1_000_000);
    switch (random.nextInt(9)) {
      case 0, 1 ->
          check(
              ModelVolume.publish(open.file(), size),
              open.user(),
              new PublishLength(object, number, size, 1, false));
      case 2, 3 ->
          check(
              ModelVolume.setLength(open.file(), size),
              open.user(),
              new SetLength(object, number, size, 1, OptionalLong.empty()));
      case 4 -> {
        int cuts = open.file().cuts;
        check(
            ModelVolume.trimmed(open.file()), open.user(), new FinishTrim(object, number, cuts, 2));
      }
      case 5 -> regrant(index);
      default -> closeOrAbandon(index, size);
    }
  }

  private void regrant(int index) {
    Writing open = writing.get(index);
    List<Integer> present = new ArrayList<>();
    for (int component = 0; component < open.map().components().size(); component++) {
      if (!open.map().isMissing(component)) {
        present.add(component);
      }
    }
    int component = present.get(random.nextInt(present.size()));
    Regrant.Lost lost =
        new Regrant.Lost(component, open.map().osdOf(component), ErrorCode.BAD_MEDIA);
    Regrant operation =
        new Regrant(
            open.held().object(), open.held().number(), List.of(lost), 3, OptionalLong.empty());
    Outcome.Done done = check(ModelVolume.loseComponent(open.file()), open.user(), operation);
    if (done != null) {
      assertTrue(TestClient.parse(RegrantReply.parser(), done).getBeingResolved());
      resolve(random.nextInt(1_000_000));
      Regrant again =
          new Regrant(
              open.held().object(), open.held().number(), List.of(), 3, OptionalLong.empty());
      RegrantReply reply = TestClient.parse(RegrantReply.parser(), check(null, open.user(), again));
      writing.set(
          index, new Writing(open.user(), Held.of(reply), map(reply.getGrant()), open.file()));
    }
  }

  private void closeOrAbandon(int index, long size) {
    Writing open = writing.get(index);
    boolean abandoned = random.nextInt(4) == 0;
    CloseFile operation =
        new CloseFile(open.held().object(), open.held().number(), size, size, abandoned, false);
    ErrorCode expected = abandoned ? null : model.close(open.file(), size);
    check(expected, open.user(), operation);
    if (abandoned) {
      resolve(size);
      ModelVolume.recovered(open.file(), size);
    }
    if (expected == null) {
      writing.remove(index);
    }
  }

  private void resolve(long size) {
    finishResolve(size);
    for (WriteGrant grant : volume.machine().resolving()) {
      finishCut(grant);
    }
  }

  /** As the manager does, with all its records. */
  private void finishCut(WriteGrant grant) {
    assertTrue(volume.machine().isUnusedCut(grant));
    Outcome.Done begun = volume.own(new BeginCut(grant.number(), Set.of()));
    FileAttributes cut = TestClient.parse(AttributesReply.parser(), begun).getAttributes();
    int generation = cut.getMap().getGeneration();
    volume.own(new FinishCut(grant.number(), cut.getTruncationNumber(), generation));
    volume.machine().attemptEnded(grant.object());
    volume.own(new FinishResolve(grant.number(), 0));
  }

  private void recoverLease(int actor) {
    List<String> path = path();
    ErrorCode expected = model.recoverLease(path, USERS.get(actor));
    Outcome.Done done = check(expected, actor, new RecoverLease(node(path)));
    if (done == null) {
      return;
    }
    FileState file = model.find(path);
    RecoverLeaseReply reply = TestClient.parse(RecoverLeaseReply.parser(), done);
    assertEquals(!file.beingWritten, reply.getClosed());
    if (file.beingWritten) {
      long size = random.nextInt(1_000_000);
      resolve(size);
      ModelVolume.recovered(file, size);
      writing.removeIf(open -> open.file() == file);
    }
  }

  private void look(int actor) {
    NameUser user = USERS.get(actor);
    List<String> path = path();
    switch (random.nextInt(3)) {
      case 0 -> check(model.stat(path, user), actor, new GetAttributes(node(path)));
      case 1 -> check(model.list(path, user), actor, new ReadDirectory(node(path), 0, 10, true));
      default -> check(model.open(path, user), actor, new OpenFile(node(path), false));
    }
  }
}
