package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.NamesModel.Node;
import org.weft.metadata.volume.NamesModel.User;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.attributes.SetAcl;
import org.weft.metadata.volume.operation.attributes.SetAttributes;
import org.weft.metadata.volume.operation.attributes.SetLayout;
import org.weft.metadata.volume.operation.attributes.SetXattr;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.LinkFile;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.name.MakeSymlink;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.metadata.volume.operation.name.RemoveDirectory;
import org.weft.metadata.volume.operation.name.Rename;
import org.weft.metadata.volume.operation.name.Unlink;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.AclMessage;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.LayoutMessage;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.XattrMode;

/**
 * Random operations of several users on names, links, extended attributes, layouts and open files,
 * compared with a model after each ({@link VolumeModelTest} does the same for what becomes of
 * content and write grants); then restarts from every prefix of the journal, each of which must
 * show exactly the state that was acknowledged with its last record (P 6.1, 6.3, 6.4).
 */
class NamesModelTest {
  private static final int OPERATIONS = 250;
  private static final List<String> NAMES = List.of("a", "b", "c", "Grüße");
  private static final List<String> TARGETS =
      List.of("a", "b", "a/b", "../c", "/a", "/b/c", "..", ".", "/", "b/", "../../a/.", "./c/../b");
  private static final int[] MODES = {0777, 0755, 0700, 0770, 01777, 02775, 0555, 0644, 04711};

  private static final List<User> USERS =
      List.of(
          new User(TestVolume.SUPERUSER, List.of("supergroup")),
          new User("alice", List.of("alices", "team")),
          new User("bob", List.of("team")),
          new User("carol", List.of("carols")));

  /** A file that is being written, in both worlds. */
  private record Writing(int user, CreateReply created, Node node) {}

  /** A file that is open for reading, in both worlds. */
  private record Reading(int user, OpenReply opened, Node node) {}

  /** What was to be seen after a record. */
  private record Seen(int records, List<String> names, List<LiveEffect> live) {}

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.model.seeds", 6));
  }

  private TestVolume volume;
  private NamesModel model;
  private SplittableRandom random;
  private final List<TestClient> clients = new ArrayList<>();
  private final List<Writing> writing = new ArrayList<>();
  private final List<Reading> reading = new ArrayList<>();
  private final SortedMap<Long, Node> files = new TreeMap<>();
  private final List<Seen> history = new ArrayList<>();

  @ParameterizedTest
  @MethodSource("seeds")
  void behavesLikeTheModelAndSurvivesRestartsFromEveryPrefix(long seed) throws WeftException {
    random = new SplittableRandom(seed);
    volume = TestVolume.formatted(seed);
    model = new NamesModel();
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
    assertEquals(withoutReplies(seen.live()), withoutReplies(live), what);
    // What was answered before a read or a refusal in the same slot may be remembered, need not be.
    assertTrue(live.containsAll(seen.live()), what);
    assertEquals(seen.names(), dump(restarted), what);
  }

  private static List<LiveEffect> withoutReplies(List<LiveEffect> live) {
    return live.stream().filter(effect -> !(effect instanceof LiveEffect.Reply)).toList();
  }

  private void remember() throws WeftException {
    assertEquals(model.dump(), dump(volume));
    assertEquals(
        files.entrySet().stream()
            .filter(file -> file.getValue().isOrphan())
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
    int who = random.nextInt(USERS.size());
    User user = USERS.get(who);
    TestClient client = clients.get(who);
    int kind = random.nextInt(100);
    if (kind < 16) {
      create(who);
    } else if (kind < 30) {
      closeOrAbandon();
    } else if (kind < 42) {
      mkdir(user, client);
    } else if (kind < 52) {
      rename(user, client);
    } else if (kind < 60) {
      List<String> path = path();
      check(model.unlink(path, user), client, new Unlink(node(path)));
    } else if (kind < 65) {
      List<String> path = path();
      check(model.rmdir(path, user), client, new RemoveDirectory(node(path)));
    } else if (kind < 71) {
      setAttributes(user, client);
    } else if (kind < 79) {
      link(user, client);
    } else if (kind < 90) {
      setMore(user, client);
    } else if (kind < 94) {
      closeReading();
    } else {
      look(who);
    }
    volume.tick();
  }

  private void link(User user, TestClient client) {
    List<String> path = path();
    if (random.nextBoolean()) {
      String target = TARGETS.get(random.nextInt(TARGETS.size()));
      check(model.symlink(target, path, user), client, new MakeSymlink(node(path), target));
    } else {
      List<String> existing = path();
      check(model.link(existing, path, user), client, new LinkFile(node(existing), node(path)));
    }
  }

  private void setMore(User user, TestClient client) {
    List<String> path = path();
    int what = random.nextInt(6);
    if (what < 3) {
      RandomAclChange acl = RandomAclChange.draw(random);
      check(
          model.changeAcl(path, acl.change(), acl.entries(), user),
          client,
          new SetAcl(node(path), acl.change(), acl.entries()));
    } else if (what == 3) {
      String layout = random.nextBoolean() ? "2+1" : "";
      LayoutMessage wish =
          layout.isEmpty()
              ? LayoutMessage.getDefaultInstance()
              : LayoutMessage.newBuilder().setDataUnits(2).setParityUnits(1).build();
      ErrorCode expected = model.setLayout(path, layout, user);
      check(expected, client, new SetLayout(node(path), Optional.of(wish)));
    } else {
      String name = random.nextInt(4) == 0 ? "trusted.t" : "user.u" + random.nextInt(2);
      String value = random.nextInt(3) == 0 ? null : "v" + random.nextInt(100);
      ErrorCode expected = model.setXattr(path, name, value, user);
      check(
          expected,
          client,
          new SetXattr(
              node(path),
              name,
              ByteString.copyFromUtf8(value == null ? "" : value),
              XattrMode.CREATE_OR_REPLACE,
              value == null));
    }
  }

  private void closeReading() {
    if (!reading.isEmpty()) {
      Reading ended = reading.remove(random.nextInt(reading.size()));
      boolean hasItOpenElsewhere =
          reading.stream()
              .anyMatch(other -> other.user() == ended.user() && other.node() == ended.node());
      ended.node().readers--;
      if (!hasItOpenElsewhere) {
        // As client libraries do: when the last of the session's openings is over.
        OpenReply last = ended.opened().toBuilder().setOpenNumber(Long.MAX_VALUE).build();
        volume.own(clients.get(ended.user()).closing(last));
      }
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
        new CreateFile(node(path), mode, umask, overwrite, parents, Optional.empty());
    ErrorCode expected = model.create(path, mode, umask, overwrite, parents, user);
    Outcome.Done done = check(expected, clients.get(who), operation);
    if (done != null) {
      CreateReply reply = TestClient.parse(CreateReply.parser(), done);
      assertEquals(0, reply.getAttributes().getSize());
      endReplaced();
      writing.add(new Writing(who, reply, model.created()));
      files.put(reply.getAttributes().getObjectId(), model.created());
    }
  }

  /** Writers of what was replaced are shut out; what others read is put in order. */
  private void endReplaced() {
    for (Writing file : List.copyOf(writing)) {
      if (!file.node().beingWritten) {
        check(
            ErrorCode.GRANT_REVOKED,
            clients.get(file.user()),
            TestClient.closing(file.created(), 1, false));
        writing.remove(file);
      }
    }
    for (WriteGrant grant : volume.machine().resolving()) {
      volume.own(new FinishResolve(grant.number(), 1));
    }
  }

  private void closeOrAbandon() {
    if (writing.isEmpty()) {
      return;
    }
    Writing ended = writing.remove(random.nextInt(writing.size()));
    long size = random.nextInt(1_000_000);
    boolean abandoned = random.nextInt(4) == 0;
    check(null, clients.get(ended.user()), TestClient.closing(ended.created(), size, abandoned));
    for (WriteGrant grant : volume.machine().resolving()) {
      assertTrue(abandoned);
      volume.own(new FinishResolve(grant.number(), size));
    }
    NamesModel.close(ended.node(), size);
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
        Optional.empty(),
        Optional.ofNullable(group),
        java.util.OptionalLong.empty(),
        java.util.OptionalLong.empty());
  }

  private void look(int who) {
    User user = USERS.get(who);
    TestClient client = clients.get(who);
    List<String> path = path();
    switch (random.nextInt(4)) {
      case 0 -> check(model.stat(path, user), client, new GetAttributes(node(path)));
      case 1 -> check(model.list(path, user), client, new ReadDirectory(node(path), 0, 10, true));
      case 2 -> check(model.lstat(path, user), client, new GetAttributes(node(path), true, false));
      default -> {
        Outcome.Done done = check(model.open(path, user), client, new OpenFile(node(path), false));
        if (done != null) {
          OpenReply opened = TestClient.parse(OpenReply.parser(), done);
          reading.add(new Reading(who, opened, model.opened()));
        }
      }
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
    boolean numbered = client.lastOperation() instanceof OpenFile;
    if (first != null && !numbered) {
      assertEquals(first.reply().toByteString(), again);
    }
    assertEquals(records, volume.records().size(), "a retry is not executed again");
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
    boolean directory = node.getKind() == FileKind.DIRECTORY;
    String kind = node.getKind() == FileKind.SYMLINK ? "l" : "f";
    SortedMap<String, String> xattrs = new TreeMap<>();
    looker
        .linkAttributes(path)
        .getXattrList()
        .forEach(xattr -> xattrs.put(xattr.getName(), xattr.getValue().toStringUtf8()));
    lines.add(
        "%s %s %04o %s:%s size %d links %d entries %d -> %s, %s, %s, %s"
            .formatted(
                path,
                directory ? "d" : kind,
                node.getMode(),
                node.getOwner(),
                node.getGroup(),
                node.getSize(),
                node.getLinks(),
                node.getEntries(),
                node.getSymlinkTarget().toStringUtf8(),
                code(node),
                xattrs,
                aclText(looker.linkAttributes(path))));
    if (!directory) {
      return;
    }
    List<DirectoryEntry> entries = new ArrayList<>(looker.list(path, 2));
    entries.sort(java.util.Comparator.comparing(DirectoryEntry::getName));
    for (DirectoryEntry entry : entries) {
      FileAttributes child = entry.getAttributes();
      assertEquals(entry.getObjectId(), child.getObjectId());
      assertEquals(entry.getKind(), child.getKind());
      if (child.getManyParents()) {
        assertEquals("", child.getParentName());
      } else {
        assertEquals(node.getObjectId(), child.getParentObjectId());
        assertEquals(entry.getName(), child.getParentName());
        assertTrue(child.getKind() == FileKind.DIRECTORY || child.getLinks() == 1);
      }
      dump(looker, (path.equals("/") ? "" : path) + "/" + entry.getName(), child, lines);
    }
  }

  private static String aclText(FileAttributes node) {
    NamesModelAcl shown = new NamesModelAcl();
    if (node.hasAccessAcl()) {
      shown.access = bounded(node.getAccessAcl());
    }
    if (node.hasDefaultAcl()) {
      AclMessage list = node.getDefaultAcl();
      shown.defaults = bounded(list);
      shown.defaults.put("user:", list.getOwner());
      shown.defaults.put("other:", list.getOther());
      if (list.hasMask()) {
        shown.defaults.put("mask:", list.getMask());
      }
    }
    return shown.toString();
  }

  private static TreeMap<String, Integer> bounded(AclMessage list) {
    TreeMap<String, Integer> entries = new TreeMap<>();
    entries.put("group:", list.getGroup());
    list.getNamedUserList()
        .forEach(named -> entries.put("user:" + named.getName(), named.getRights()));
    list.getNamedGroupList()
        .forEach(named -> entries.put("group:" + named.getName(), named.getRights()));
    return entries;
  }

  private static String code(FileAttributes node) {
    LayoutMessage layout =
        switch (node.getKind()) {
          case DIRECTORY -> node.getDefaultLayout();
          case FILE -> node.getMap().getLayout();
          default -> LayoutMessage.getDefaultInstance();
        };
    return layout.getDataUnits() == 0 ? "" : layout.getDataUnits() + "+" + layout.getParityUnits();
  }
}
