package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.ModelVolume.Node;
import org.weft.metadata.volume.ModelVolume.User;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.attributes.SetAttributes;
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
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.metadata.volume.operation.name.RemoveDirectory;
import org.weft.metadata.volume.operation.name.Rename;
import org.weft.metadata.volume.operation.name.Unlink;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.RecoverLeaseReply;
import org.weft.protocol.wire.RegrantReply;

/**
 * Random operations of several users, compared with a model after each; then restarts from every
 * prefix of the journal, each of which must show exactly the state that was acknowledged with its
 * last record (P 6.1, 6.3, 6.4).
 */
class VolumeModelTest {
  private static final int OPERATIONS = 250;
  private static final List<String> NAMES = List.of("a", "b", "c", "Grüße");
  private static final int[] MODES = {0777, 0755, 0700, 0770, 01777, 02775, 0555, 0644, 04711};

  private static final List<User> USERS =
      List.of(
          new User(TestVolume.SUPERUSER, List.of("supergroup")),
          new User("alice", List.of("alices", "team")),
          new User("bob", List.of("team")),
          new User("carol", List.of("carols")));

  /** A file that is being written, in both worlds. */
  private record Writing(int user, Held held, StorageMap map, Node node) {}

  /** How far a client has come with a file that it writes. */
  private record Published(int user, ObjectId object, long sizeBytes) {}

  /** What was to be seen after a record. */
  private record Seen(
      int records, List<String> names, List<LiveEffect> live, List<Published> published) {}

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.model.seeds", 6));
  }

  private TestVolume volume;
  private ModelVolume model;
  private SplittableRandom random;
  private final List<TestClient> clients = new ArrayList<>();
  private final List<Writing> writing = new ArrayList<>();
  private final List<Seen> history = new ArrayList<>();

  @ParameterizedTest
  @MethodSource("seeds")
  void behavesLikeTheModelAndSurvivesRestartsFromEveryPrefix(long seed) throws WeftException {
    random = new SplittableRandom(seed);
    volume = TestVolume.formatted(seed);
    model = new ModelVolume();
    for (User user : USERS) {
      clients.add(volume.client(user.name(), user.groups().toArray(new String[0])));
    }
    model.chmod(List.of(), 0777, USERS.get(0));
    clients.get(0).chmod("/", 0777);
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
    assertEquals(withoutReplies(seen.live()), withoutReplies(live), what);
    // What was answered before a read or a refusal in the same slot may be remembered, need not be.
    assertTrue(live.containsAll(seen.live()), what);
    assertEquals(seen.names(), dump(restarted), what);
  }

  /** Every client says what it has published; before that nobody is told of those files. */
  private void reclaim(Seen seen, TestVolume restarted) {
    for (int user = 0; user < clients.size(); user++) {
      int who = user;
      List<RenewSession.PublishedLength> lengths =
          seen.published().stream()
              .filter(each -> each.user() == who)
              .map(each -> new RenewSession.PublishedLength(each.object(), each.sizeBytes()))
              .toList();
      restarted.own(
          new RenewSession(
              clients.get(user).session(),
              List.of(),
              new RenewSession.Reclaim(restarted.epochs(), true, List.of(), lengths)));
    }
  }

  private static List<LiveEffect> withoutReplies(List<LiveEffect> live) {
    return live.stream().filter(effect -> !(effect instanceof LiveEffect.Reply)).toList();
  }

  private void remember() throws WeftException {
    assertEquals(model.dump(), dump(volume));
    int missing = writing.stream().mapToInt(file -> ModelVolume.missingNameless(file.node())).sum();
    assertEquals(model.missing() + missing, volume.machine().repairs().size());
    assertEquals(writing.size(), volume.machine().counts().writeGrants());
    // Looking opened a session, which is part of what a restart has to bring back.
    List<Published> published =
        writing.stream()
            .map(file -> new Published(file.user(), file.held().object(), file.node().size))
            .toList();
    history.add(
        new Seen(volume.records().size(), model.dump(), volume.machine().snapshot(), published));
  }

  private void step() throws WeftException {
    int who = random.nextInt(USERS.size());
    User user = USERS.get(who);
    TestClient client = clients.get(who);
    int kind = random.nextInt(100);
    if (kind < 16) {
      create(who);
    } else if (kind < 24) {
      update(who);
    } else if (kind < 38) {
      whileWriting();
    } else if (kind < 52) {
      mkdir(user, client);
    } else if (kind < 64) {
      rename(user, client);
    } else if (kind < 67) {
      recoverLease(user, client);
    } else if (kind < 74) {
      List<String> path = path();
      check(model.unlink(path, user), client, new Unlink(node(path)));
    } else if (kind < 82) {
      List<String> path = path();
      check(model.rmdir(path, user), client, new RemoveDirectory(node(path)));
    } else if (kind < 90) {
      setAttributes(user, client);
    } else {
      look(user, client);
    }
  }

  private void create(int who) {
    User user = USERS.get(who);
    List<String> path = path();
    int mode = mode();
    int umask = random.nextBoolean() ? 022 : 0;
    boolean overwrite = random.nextBoolean();
    boolean parents = random.nextInt(3) == 0;
    CreateFile operation =
        new CreateFile(node(path), mode, umask, overwrite, parents, java.util.Optional.empty());
    ErrorCode expected = model.create(path, mode, umask, overwrite, parents, user);
    Outcome.Done done = check(expected, clients.get(who), operation);
    if (done != null) {
      CreateReply reply = TestClient.parse(CreateReply.parser(), done);
      assertEquals(0, reply.getAttributes().getSize());
      endReplaced();
      writing.add(new Writing(who, Held.of(reply), map(reply.getGrant()), model.find(path)));
    }
  }

  /** Writers of what was replaced are shut out, and what they have to say is refused. */
  private void endReplaced() {
    for (Writing file : List.copyOf(writing)) {
      if (file.node().replaced) {
        check(
            ErrorCode.GRANT_REVOKED,
            clients.get(file.user()),
            new PublishLength(file.held().object(), file.held().number(), 1, 1, false));
        writing.remove(file);
      }
    }
  }

  private static StorageMap map(Grant grant) {
    return StorageMap.fromMessage(grant.getMap());
  }

  private void update(int who) {
    List<String> path = path();
    ErrorCode expected = model.update(path, USERS.get(who));
    Outcome.Done done = check(expected, clients.get(who), new OpenFile(node(path), true));
    if (done != null) {
      OpenReply reply = TestClient.parse(OpenReply.parser(), done);
      Node node = model.find(path);
      assertEquals(node.size, reply.getAttributes().getSize());
      assertEquals(node.trim, reply.getGrant().getHasTrim());
      assertEquals(node.cuts, reply.getGrant().getTruncationNumber());
      assertEquals(node.missing, reply.getGrant().getMap().getMissingCount());
      writing.add(new Writing(who, Held.of(reply), map(reply.getGrant()), node));
    }
  }

  /** Somebody who writes publishes, cuts, loses a component or closes. */
  private void whileWriting() {
    if (writing.isEmpty()) {
      return;
    }
    int index = random.nextInt(writing.size());
    Writing file = writing.get(index);
    TestClient client = clients.get(file.user());
    ObjectId object = file.held().object();
    Lsn number = file.held().number();
    long size = random.nextInt(1_000_000);
    switch (random.nextInt(9)) {
      case 0, 1 ->
          check(
              ModelVolume.publish(file.node(), size),
              client,
              new PublishLength(object, number, size, 1, false));
      case 2, 3 ->
          check(
              ModelVolume.setLength(file.node(), size),
              client,
              new SetLength(object, number, size, 1, OptionalLong.empty()));
      case 4 -> {
        int cuts = file.node().cuts;
        check(ModelVolume.trimmed(file.node()), client, new FinishTrim(object, number, cuts, 2));
      }
      case 5 -> regrant(index, client);
      default -> closeOrAbandon(index, client, size);
    }
  }

  private void regrant(int index, TestClient client) {
    Writing file = writing.get(index);
    List<Integer> present = new ArrayList<>();
    for (int component = 0; component < file.map().components().size(); component++) {
      if (!file.map().isMissing(component)) {
        present.add(component);
      }
    }
    int component = present.get(random.nextInt(present.size()));
    Regrant.Lost lost =
        new Regrant.Lost(component, file.map().osdOf(component), ErrorCode.BAD_MEDIA);
    Regrant operation =
        new Regrant(
            file.held().object(), file.held().number(), List.of(lost), 3, OptionalLong.empty());
    Outcome.Done done = check(ModelVolume.loseComponent(file.node()), client, operation);
    if (done != null) {
      assertTrue(TestClient.parse(RegrantReply.parser(), done).getBeingResolved());
      finishResolve(random.nextInt(1_000_000));
      Regrant again =
          new Regrant(
              file.held().object(), file.held().number(), List.of(), 3, OptionalLong.empty());
      RegrantReply reply = TestClient.parse(RegrantReply.parser(), check(null, client, again));
      writing.set(
          index, new Writing(file.user(), Held.of(reply), map(reply.getGrant()), file.node()));
    }
  }

  private void closeOrAbandon(int index, TestClient client, long size) {
    Writing file = writing.get(index);
    boolean abandoned = random.nextInt(4) == 0;
    CloseFile operation =
        new CloseFile(file.held().object(), file.held().number(), size, size, abandoned, false);
    ErrorCode expected = abandoned ? null : ModelVolume.close(file.node(), size);
    check(expected, client, operation);
    if (abandoned) {
      finishResolve(size);
      ModelVolume.recovered(file.node(), size);
    }
    if (expected == null) {
      writing.remove(index);
    }
  }

  private void finishResolve(long size) {
    for (WriteGrant grant : volume.machine().resolving()) {
      volume.own(new FinishResolve(grant.number(), size));
    }
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

  private void recoverLease(User user, TestClient client) {
    List<String> path = path();
    ErrorCode expected = model.recoverLease(path, user);
    Outcome.Done done = check(expected, client, new RecoverLease(node(path)));
    if (done == null) {
      return;
    }
    Node node = model.find(path);
    RecoverLeaseReply reply = TestClient.parse(RecoverLeaseReply.parser(), done);
    assertEquals(!node.beingWritten, reply.getClosed());
    if (node.beingWritten) {
      long size = random.nextInt(1_000_000);
      finishResolve(size);
      ModelVolume.recovered(node, size);
      writing.removeIf(file -> file.node() == node);
    }
  }

  private void mkdir(User user, TestClient client) {
    List<String> path = path();
    int mode = mode();
    int umask = random.nextBoolean() ? 022 : 077;
    boolean parents = random.nextBoolean();
    ErrorCode expected = model.mkdir(path, mode, umask, parents, user);
    check(expected, client, new MakeDirectory(node(path), mode, umask, parents));
  }

  private void rename(User user, TestClient client) {
    List<String> source = path();
    List<String> target = path();
    boolean replace = random.nextInt(4) != 0;
    ErrorCode expected = model.rename(source, target, replace, user);
    check(expected, client, new Rename(node(source), node(target), replace));
  }

  private void setAttributes(User user, TestClient client) {
    List<String> path = path();
    if (random.nextBoolean()) {
      int mode = mode();
      ErrorCode expected = model.chmod(path, mode, user);
      check(expected, client, set(path, java.util.OptionalInt.of(mode), null));
    } else {
      String group = random.nextBoolean() ? "team" : "carols";
      ErrorCode expected = model.chgrp(path, group, user);
      check(expected, client, set(path, java.util.OptionalInt.empty(), group));
    }
  }

  private static SetAttributes set(List<String> path, java.util.OptionalInt mode, String group) {
    return new SetAttributes(
        node(path),
        mode,
        java.util.Optional.empty(),
        java.util.Optional.ofNullable(group),
        java.util.OptionalLong.empty(),
        java.util.OptionalLong.empty());
  }

  private void look(User user, TestClient client) {
    List<String> path = path();
    switch (random.nextInt(3)) {
      case 0 -> check(model.stat(path, user), client, new GetAttributes(node(path)));
      case 1 -> check(model.list(path, user), client, new ReadDirectory(node(path), 0, 10, true));
      default -> check(model.open(path, user), client, new OpenFile(node(path), false));
    }
  }

  /**
   * Executes, compares with the model, and often asks again as a client does that heard no answer.
   */
  private Outcome.Done check(ErrorCode expected, TestClient client, Operation operation) {
    Outcome.Done done = null;
    ErrorCode actual = null;
    try {
      done = client.execute(operation);
    } catch (WeftException e) {
      actual = e.code();
    }
    assertEquals(expected, actual, () -> operation + "\n" + String.join("\n", model.dump()));
    if (random.nextInt(3) == 0) {
      assertRetryAnswersTheSame(client, done, actual);
    }
    return done;
  }

  private void assertRetryAnswersTheSame(TestClient client, Outcome.Done first, ErrorCode refusal) {
    int records = volume.records().size();
    ByteString again = null;
    ErrorCode code = null;
    try {
      again = client.retry().reply().toByteString();
    } catch (WeftException e) {
      code = e.code();
    }
    assertEquals(refusal, code);
    if (first != null) {
      assertEquals(withoutOpenNumber(first.reply().toByteString()), withoutOpenNumber(again));
    }
    assertEquals(records, volume.records().size(), "a retry is not executed again");
  }

  /** A file that is opened again for reading has a new number, which only its closing needs. */
  private static ByteString withoutOpenNumber(ByteString reply) {
    try {
      OpenReply open = OpenReply.parseFrom(reply);
      return open.getOpenNumber() == 0 || !open.hasGrant()
          ? reply
          : open.toBuilder().clearOpenNumber().build().toByteString();
    } catch (InvalidProtocolBufferException e) {
      return reply;
    }
  }

  private List<String> path() {
    List<String> names = new ArrayList<>();
    int depth = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(3);
    for (int level = 0; level < depth; level++) {
      names.add(NAMES.get(random.nextInt(NAMES.size())));
    }
    return names;
  }

  private int mode() {
    return MODES[random.nextInt(MODES.length)];
  }

  private static NodePath node(List<String> names) {
    return new NodePath(names);
  }

  /** What a superuser sees, in a session of its own. */
  private static List<String> dump(TestVolume of) throws WeftException {
    TestClient looker = of.superuser();
    List<String> lines = new ArrayList<>();
    dump(looker, "/", looker.attributes("/"), lines);
    of.own(new CloseSession(looker.session()));
    return lines;
  }

  private static void dump(TestClient looker, String path, FileAttributes node, List<String> lines)
      throws WeftException {
    lines.add(
        ModelVolume.line(
                path,
                node.getKind() == FileKind.DIRECTORY,
                node.getMode(),
                node.getOwner(),
                node.getGroup(),
                node.getSize(),
                node.getLinks(),
                node.getEntries())
            + ModelVolume.contentLine(
                node.getTruncationNumber(), node.getHasTrim(), node.getMap().getMissingCount()));
    if (node.getKind() != FileKind.DIRECTORY) {
      return;
    }
    List<DirectoryEntry> entries = new ArrayList<>(looker.list(path, 2));
    entries.sort(java.util.Comparator.comparing(DirectoryEntry::getName));
    for (DirectoryEntry entry : entries) {
      assertEquals(entry.getObjectId(), entry.getAttributes().getObjectId());
      assertEquals(node.getObjectId(), entry.getAttributes().getParentObjectId());
      assertEquals(entry.getName(), entry.getAttributes().getParentName());
      String child = (path.equals("/") ? "" : path) + "/" + entry.getName();
      dump(looker, child, entry.getAttributes(), lines);
    }
  }
}
