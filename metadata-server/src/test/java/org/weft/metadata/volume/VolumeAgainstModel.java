package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.ModelVolume.Line;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.attributes.SetAttributes;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.MakeDirectory;
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
import org.weft.testkit.names.NameUser;
import org.weft.testkit.names.NodeRights;

/**
 * A volume and its model, and random operations of several users on both, whose answers are
 * compared. A client often asks again, as one does that heard no answer.
 */
abstract class VolumeAgainstModel {
  static final List<NameUser> USERS =
      List.of(
          NameUser.SUPERUSER,
          new NameUser("alice", List.of("alices", "team")),
          new NameUser("bob", List.of("team")),
          new NameUser("carol", List.of("carols")));

  private static final List<String> NAMES = List.of("a", "b", "c", "Grüße");
  private static final int[] MODES = {0777, 0755, 0700, 0770, 01777, 02775, 0555, 0644, 04711};

  final List<TestClient> clients = new ArrayList<>();
  TestVolume volume;
  ModelVolume model;
  SplittableRandom random;

  /** Six, or as many as the property asks for. */
  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.model.seeds", 6));
  }

  /** Formats a volume on whose root all users may write. */
  void begin(long seed) throws WeftException {
    random = new SplittableRandom(seed);
    volume = TestVolume.formatted(seed);
    model = new ModelVolume();
    for (NameUser user : USERS) {
      clients.add(volume.client(user.name(), user.groups().toArray(new String[0])));
    }
    assertEquals(null, model.chmod(List.of(), 0777, USERS.get(0)));
    clients.get(0).chmod("/", 0777);
  }

  /** The live state of a volume that was started again is what was acknowledged. */
  static void assertLive(List<LiveEffect> expected, List<LiveEffect> live, String what) {
    assertEquals(withoutReplies(expected), withoutReplies(live), what);
    // What was answered before a read or a refusal in the same slot may be remembered, need not be.
    assertTrue(live.containsAll(expected), what);
  }

  private static List<LiveEffect> withoutReplies(List<LiveEffect> live) {
    return live.stream().filter(effect -> !(effect instanceof LiveEffect.Reply)).toList();
  }

  List<String> path() {
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

  static NodePath node(List<String> names) {
    return new NodePath(names);
  }

  /** The reply if a file was made. */
  Optional<CreateReply> create(int actor) {
    List<String> path = path();
    int mode = mode();
    int umask = random.nextBoolean() ? 022 : 0;
    boolean overwrite = random.nextBoolean();
    boolean parents = random.nextInt(3) == 0;
    CreateFile operation =
        new CreateFile(node(path), mode, umask, overwrite, parents, Optional.empty());
    ErrorCode expected = model.create(path, mode, umask, overwrite, parents, USERS.get(actor));
    return Optional.ofNullable(check(expected, actor, operation))
        .map(done -> TestClient.parse(CreateReply.parser(), done));
  }

  void mkdir(int actor) {
    List<String> path = path();
    int mode = mode();
    int umask = random.nextBoolean() ? 022 : 077;
    boolean parents = random.nextBoolean();
    ErrorCode expected = model.mkdir(path, mode, umask, parents, USERS.get(actor));
    check(expected, actor, new MakeDirectory(node(path), mode, umask, parents));
  }

  void rename(int actor) {
    List<String> source = path();
    List<String> target = path();
    boolean replace = random.nextInt(4) != 0;
    ErrorCode expected = model.rename(source, target, replace, USERS.get(actor));
    check(expected, actor, new Rename(node(source), node(target), replace));
  }

  void unlink(int actor) {
    List<String> path = path();
    check(model.unlink(path, USERS.get(actor)), actor, new Unlink(node(path)));
  }

  void rmdir(int actor) {
    List<String> path = path();
    check(model.rmdir(path, USERS.get(actor)), actor, new RemoveDirectory(node(path)));
  }

  void setAttributes(int actor) {
    List<String> path = path();
    if (random.nextBoolean()) {
      int mode = mode();
      ErrorCode expected = model.chmod(path, mode, USERS.get(actor));
      check(expected, actor, set(path, OptionalInt.of(mode), Optional.empty()));
    } else {
      String group = random.nextBoolean() ? "team" : "carols";
      ErrorCode expected = model.chgrp(path, group, USERS.get(actor));
      check(expected, actor, set(path, OptionalInt.empty(), Optional.of(group)));
    }
  }

  private static SetAttributes set(List<String> path, OptionalInt mode, Optional<String> group) {
    return new SetAttributes(
        node(path), mode, Optional.empty(), group, OptionalLong.empty(), OptionalLong.empty());
  }

  /** Whatever is being resolved comes to an end at that size. */
  void finishResolve(long size) {
    for (WriteGrant grant : volume.machine().resolving()) {
      volume.own(new FinishResolve(grant.number(), size));
    }
  }

  /** Executes, compares with the model, and often asks again; null if it was refused. */
  Outcome.Done check(ErrorCode expected, int actor, Operation operation) {
    TestClient client = clients.get(actor);
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

  /** What a superuser sees, in a session of its own. */
  static List<String> dump(TestVolume of) throws WeftException {
    TestClient looker = of.superuser();
    List<String> lines = new ArrayList<>();
    dump(looker, "/", looker.attributes("/"), lines);
    of.own(new CloseSession(looker.session()));
    return lines;
  }

  private static void dump(TestClient looker, String path, FileAttributes node, List<String> lines)
      throws WeftException {
    lines.add(line(path, node, looker.linkAttributes(path)).toString());
    if (node.getKind() != FileKind.DIRECTORY) {
      return;
    }
    List<DirectoryEntry> entries = new ArrayList<>(looker.list(path, 2));
    entries.sort(Comparator.comparing(DirectoryEntry::getName));
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

  /**
   * A line as the model has it.
   *
   * @param whole with what a listing leaves out
   */
  private static Line line(String path, FileAttributes node, FileAttributes whole) {
    SortedMap<String, String> xattrs = new TreeMap<>();
    whole
        .getXattrList()
        .forEach(xattr -> xattrs.put(xattr.getName(), xattr.getValue().toStringUtf8()));
    return new Line(
        path,
        node.getKind().name(),
        node.getSize(),
        node.getLinks(),
        node.getEntries(),
        node.getSymlinkTarget().toStringUtf8(),
        layout(node),
        node.getTruncationNumber() + (node.getHasTrim() ? " trim" : ""),
        node.getMap().getMissingCount(),
        xattrs,
        rights(whole));
  }

  private static NodeRights rights(FileAttributes node) {
    Optional<SortedMap<String, Integer>> access = Optional.empty();
    if (node.hasAccessAcl()) {
      access = Optional.of(bounded(node.getAccessAcl()));
    }
    Optional<SortedMap<String, Integer>> defaults = Optional.empty();
    if (node.hasDefaultAcl()) {
      AclMessage list = node.getDefaultAcl();
      SortedMap<String, Integer> entries = bounded(list);
      entries.put("user:", list.getOwner());
      entries.put("other:", list.getOther());
      if (list.hasMask()) {
        entries.put("mask:", list.getMask());
      }
      defaults = Optional.of(entries);
    }
    return new NodeRights(node.getMode(), node.getOwner(), node.getGroup(), access, defaults);
  }

  private static SortedMap<String, Integer> bounded(AclMessage list) {
    SortedMap<String, Integer> entries = new TreeMap<>();
    entries.put("group:", list.getGroup());
    list.getNamedUserList()
        .forEach(named -> entries.put("user:" + named.getName(), named.getRights()));
    list.getNamedGroupList()
        .forEach(named -> entries.put("group:" + named.getName(), named.getRights()));
    return entries;
  }

  private static String layout(FileAttributes node) {
    LayoutMessage layout =
        switch (node.getKind()) {
          case DIRECTORY -> node.getDefaultLayout();
          case FILE -> node.getMap().getLayout();
          default -> LayoutMessage.getDefaultInstance();
        };
    return layout.getDataUnits() == 0 ? "" : layout.getDataUnits() + "+" + layout.getParityUnits();
  }
}
