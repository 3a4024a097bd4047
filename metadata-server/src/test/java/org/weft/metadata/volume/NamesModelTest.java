package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.ModelVolume.FileState;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.attributes.SetAcl;
import org.weft.metadata.volume.operation.attributes.SetLayout;
import org.weft.metadata.volume.operation.attributes.SetXattr;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.operation.name.LinkFile;
import org.weft.metadata.volume.operation.name.MakeSymlink;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.LayoutMessage;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.XattrMode;
import org.weft.testkit.names.NameUser;

/**
 * Random operations of several users on names, links, extended attributes, layouts and open files,
 * compared with a model after each. {@link VolumeModelTest} does the same for content and write
 * grants. Then managers restart from every prefix of the journal. Each must show exactly the state
 * that was acknowledged with its last record (P 6.1, 6.3, 6.4).
 */
class NamesModelTest extends VolumeAgainstModel {
  private static final int OPERATIONS = 250;
  private static final List<String> TARGETS =
      List.of("a", "b", "a/b", "../c", "/a", "/b/c", "..", ".", "/", "b/", "../../a/.", "./c/../b");

  /** A file that is being written, in both worlds. */
  private record Writing(int user, CreateReply created, FileState file) {}

  /** A file that is open for reading, in both worlds. */
  private record Reading(int user, OpenReply opened, FileState file) {}

  /** What was to be seen after a record. */
  private record Seen(int records, List<String> names, List<LiveEffect> live) {}

  private final List<Writing> writing = new ArrayList<>();
  private final List<Reading> reading = new ArrayList<>();
  private final SortedMap<Long, FileState> files = new TreeMap<>();
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

  private static void assertSeen(Seen seen, TestVolume restarted, String what)
      throws WeftException {
    assertLive(seen.live(), restarted.machine().snapshot(), what);
    assertEquals(seen.names(), dump(restarted), what);
  }

  private void remember() throws WeftException {
    assertEquals(model.dump(), dump(volume));
    assertEquals(
        files.entrySet().stream()
            .filter(file -> model.isOrphan(file.getValue()))
            .map(Map.Entry::getKey)
            .toList(),
        orphans(volume.machine().snapshot()));
    // Looking opened a session, which is part of what a restart has to bring back.
    history.add(new Seen(volume.records().size(), model.dump(), volume.machine().snapshot()));
  }

  private static List<Long> orphans(List<LiveEffect> live) {
    List<Long> orphans = new ArrayList<>();
    for (LiveEffect effect : live) {
      if (effect instanceof LiveEffect.OrphanAdded orphan) {
        orphans.add(orphan.object().value());
      }
    }
    return orphans;
  }

  private void step() throws WeftException {
    int actor = random.nextInt(USERS.size());
    int kind = random.nextInt(100);
    if (kind < 16) {
      createFile(actor);
    } else if (kind < 30) {
      closeOrAbandon();
    } else if (kind < 42) {
      mkdir(actor);
    } else if (kind < 52) {
      rename(actor);
    } else if (kind < 60) {
      unlink(actor);
    } else if (kind < 65) {
      rmdir(actor);
    } else if (kind < 71) {
      setAttributes(actor);
    } else if (kind < 79) {
      link(actor);
    } else if (kind < 90) {
      setMore(actor);
    } else if (kind < 94) {
      closeReading();
    } else {
      look(actor);
    }
    volume.tick();
  }

  private void link(int actor) {
    NameUser user = USERS.get(actor);
    List<String> path = path();
    if (random.nextBoolean()) {
      String target = TARGETS.get(random.nextInt(TARGETS.size()));
      check(model.symlink(target, path, user), actor, new MakeSymlink(node(path), target));
    } else {
      List<String> existing = path();
      check(model.link(existing, path, user), actor, new LinkFile(node(existing), node(path)));
    }
  }

  private void setMore(int actor) {
    NameUser user = USERS.get(actor);
    List<String> path = path();
    int what = random.nextInt(6);
    if (what < 3) {
      RandomAclChange acl = RandomAclChange.draw(random);
      check(
          model.changeAcl(path, acl.change(), acl.entries(), user),
          actor,
          new SetAcl(node(path), acl.change(), acl.entries()));
    } else if (what == 3) {
      String layout = random.nextBoolean() ? "2+1" : "";
      LayoutMessage wish =
          layout.isEmpty()
              ? LayoutMessage.getDefaultInstance()
              : LayoutMessage.newBuilder().setDataUnits(2).setParityUnits(1).build();
      ErrorCode expected = model.setLayout(path, layout, user);
      check(expected, actor, new SetLayout(node(path), Optional.of(wish)));
    } else {
      String name = random.nextInt(4) == 0 ? "trusted.t" : "user.u" + random.nextInt(2);
      String value = random.nextInt(3) == 0 ? "" : "v" + random.nextInt(100);
      ErrorCode expected = model.setXattr(path, name, value, user);
      check(
          expected,
          actor,
          new SetXattr(
              node(path),
              name,
              ByteString.copyFromUtf8(value),
              XattrMode.CREATE_OR_REPLACE,
              value.isEmpty()));
    }
  }

  private void closeReading() {
    if (!reading.isEmpty()) {
      Reading ended = reading.remove(random.nextInt(reading.size()));
      boolean hasItOpenElsewhere =
          reading.stream()
              .anyMatch(other -> other.user() == ended.user() && other.file() == ended.file());
      ended.file().readers--;
      if (!hasItOpenElsewhere) {
        // As client libraries do: when the last of the session's openings is over.
        OpenReply last = ended.opened().toBuilder().setOpenNumber(Long.MAX_VALUE).build();
        volume.own(clients.get(ended.user()).closing(last));
      }
    }
  }

  private void createFile(int actor) {
    create(actor)
        .ifPresent(
            reply -> {
              assertEquals(0, reply.getAttributes().getSize());
              endReplaced();
              writing.add(new Writing(actor, reply, model.created()));
              files.put(reply.getAttributes().getObjectId(), model.created());
            });
  }

  /** Writers of what was replaced are shut out; what others read is put in order. */
  private void endReplaced() {
    for (Writing open : List.copyOf(writing)) {
      if (!open.file().beingWritten) {
        check(ErrorCode.GRANT_REVOKED, open.user(), TestClient.closing(open.created(), 1, false));
        writing.remove(open);
      }
    }
    finishResolve(1);
  }

  private void closeOrAbandon() {
    if (writing.isEmpty()) {
      return;
    }
    Writing ended = writing.remove(random.nextInt(writing.size()));
    long size = random.nextInt(1_000_000);
    boolean abandoned = random.nextInt(4) == 0;
    check(null, ended.user(), TestClient.closing(ended.created(), size, abandoned));
    assertTrue(abandoned || volume.machine().resolving().isEmpty());
    finishResolve(size);
    assertEquals(null, model.close(ended.file(), size));
  }

  private void look(int actor) {
    NameUser user = USERS.get(actor);
    List<String> path = path();
    switch (random.nextInt(4)) {
      case 0 -> check(model.stat(path, user), actor, new GetAttributes(node(path)));
      case 1 -> check(model.list(path, user), actor, new ReadDirectory(node(path), 0, 10, true));
      case 2 -> check(model.lstat(path, user), actor, new GetAttributes(node(path), true, false));
      default -> {
        Outcome.Done done = check(model.open(path, user), actor, new OpenFile(node(path), false));
        if (done != null) {
          OpenReply opened = TestClient.parse(OpenReply.parser(), done);
          reading.add(new Reading(actor, opened, model.opened()));
        }
      }
    }
  }
}
