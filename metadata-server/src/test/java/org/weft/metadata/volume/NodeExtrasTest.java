package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.attributes.SetAttributes;
import org.weft.metadata.volume.operation.attributes.SetXattr;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.MakeSymlink;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.LayoutMessage;
import org.weft.protocol.wire.XattrMode;

/** Extended attributes, layouts of directories, times and groups. */
class NodeExtrasTest {
  private static final int PAGE_BYTES = 64 << 10;

  private TestVolume volume;
  private TestClient weft;
  private TestClient alice;
  private TestClient bob;

  @BeforeEach
  void aFileOfAlice() throws WeftException {
    volume = TestVolume.formatted(22);
    weft = volume.superuser();
    alice = volume.client("alice", "alices");
    bob = volume.client("bob", "bobs");
    weft.mkdir("/tmp", 01777, 0, false);
    alice.write("/tmp/f", 3);
  }

  private static WeftException refused(ErrorCode expected, Executable attempt) {
    WeftException refusal = assertThrows(WeftException.class, attempt);
    assertEquals(expected, refusal.code(), refusal.getMessage());
    return refusal;
  }

  @Test
  void extendedAttributesAreSetReplacedAndRemoved() throws WeftException {
    alice.setXattr("/tmp/f", "user.b", "1");
    alice.setXattr("/tmp/f", "user.a", "");
    alice.setXattr("/tmp/f", "user.b", "2");
    assertEquals(List.of("user.a=", "user.b=2"), alice.xattrs("/tmp/f"));
    ByteString value = ByteString.copyFromUtf8("3");
    refused(
        ErrorCode.EXISTS, () -> alice.setXattr("/tmp/f", "user.b", value, XattrMode.CREATE_ONLY));
    refused(
        ErrorCode.NOT_FOUND,
        () -> alice.setXattr("/tmp/f", "user.c", value, XattrMode.REPLACE_ONLY));
    alice.setXattr("/tmp/f", "user.b", value, XattrMode.REPLACE_ONLY);
    alice.setXattr("/tmp/f", "user.c", value, XattrMode.CREATE_ONLY);
    alice.removeXattr("/tmp/f", "user.a");
    refused(ErrorCode.NOT_FOUND, () -> alice.removeXattr("/tmp/f", "user.a"));
    assertEquals(List.of("user.b=3", "user.c=3"), alice.xattrs("/tmp/f"));
    assertEquals(List.of("user.b=3", "user.c=3"), alice.with(volume.restarted()).xattrs("/tmp/f"));
  }

  @Test
  void setXattrChangesCtimeButNotMtime() throws WeftException {
    FileAttributes before = alice.attributes("/tmp/f");
    volume.pass(500);
    alice.setXattr("/tmp/f", "user.a", "1");
    FileAttributes after = alice.attributes("/tmp/f");
    assertEquals(before.getMtimeMillis(), after.getMtimeMillis());
    assertEquals(before.getCtimeMillis() + 500, after.getCtimeMillis());
  }

  @Test
  void nameSpacesHaveTheirPermissions() throws WeftException {
    for (String name : List.of("trusted.x", "security.x", "system.x")) {
      refused(ErrorCode.PERMISSION_DENIED, () -> alice.setXattr("/tmp/f", name, "1"));
      weft.setXattr("/tmp/f", name, "1");
    }
    assertEquals(List.of("security.x=1", "system.x=1"), alice.xattrs("/tmp/f"));
    assertEquals(3, weft.xattrs("/tmp/f").size());
    refused(ErrorCode.PERMISSION_DENIED, () -> bob.setXattr("/tmp/f", "user.x", "1"));
    refused(ErrorCode.PERMISSION_DENIED, () -> bob.setXattr("/tmp", "user.x", "1"));
    alice.chmod("/tmp/f", 0602);
    bob.setXattr("/tmp/f", "user.x", "1");
    refused(ErrorCode.PERMISSION_DENIED, () -> bob.xattrs("/tmp/f"));
    weft.mkdir("/open", 0777, 0, false);
    bob.setXattr("/open", "user.x", "1");
  }

  @Test
  void namesAreChecked() {
    for (String name : List.of("x", "user.", "raw.x", "users.x", "user.a\0", "")) {
      refused(ErrorCode.NAME_INVALID, () -> alice.setXattr("/tmp/f", name, "1"));
    }
    String longest = "user." + "x".repeat(250);
    assertEquals(255, longest.length());
    refused(ErrorCode.NAME_INVALID, () -> alice.setXattr("/tmp/f", longest + "x", "1"));
  }

  @Test
  void xattrsOfAFileFitItsPage() throws WeftException {
    ByteString half = ByteString.copyFrom(new byte[24_000]);
    alice.setXattr("/tmp/f", "user.a", half, XattrMode.CREATE_ONLY);
    alice.setXattr("/tmp/f", "user.b", half, XattrMode.CREATE_ONLY);
    WeftException refusal =
        refused(
            ErrorCode.INVALID_ARGUMENT,
            () -> alice.setXattr("/tmp/f", "user.c", half, XattrMode.CREATE_ONLY));
    assertTrue(refusal.getMessage().contains("" + (48 << 10)), refusal.getMessage());
    refused(
        ErrorCode.INVALID_ARGUMENT,
        () ->
            alice.setXattr(
                "/tmp/f", "user.a", ByteString.copyFrom(new byte[49_000]), XattrMode.REPLACE_ONLY));
    // What else stands in the page may be as long as it can be.
    Attributes worst =
        lastPut("/tmp/f")
            .edit()
            .owner("\u00fc".repeat(255))
            .group("\u00fc".repeat(255))
            .symlinkTarget(ByteString.copyFrom(new byte[MakeSymlink.MAX_TARGET_BYTES]))
            .build();
    int bytes = AttributesCodec.toMessage(worst).getSerializedSize() + 1_024 * 7;
    assertTrue(bytes < PAGE_BYTES, bytes + " bytes");
    assertTrue(worst.xattrBytes() <= SetXattr.MAX_BYTES_OF_NODE);
  }

  private Attributes lastPut(String path) throws WeftException {
    long object = weft.attributes(path).getObjectId();
    Attributes found = null;
    for (JournalRecord record : volume.records()) {
      for (var effect : record.effects()) {
        if (effect instanceof ObjectEffect.PutAttributes put && put.object().value() == object) {
          found = put.attributes();
        }
      }
    }
    return found;
  }

  @Test
  void xattrsAreSentOnRequestOnly() throws WeftException {
    alice.setXattr("/tmp/f", "user.a", "1");
    assertEquals(0, alice.attributes("/tmp/f").getXattrCount());
    assertEquals(0, alice.open("/tmp/f").getAttributes().getXattrCount());
    assertEquals(0, alice.chmod("/tmp/f", 0640).getXattrCount());
    assertEquals(0, alice.update("/tmp/f").getAttributes().getXattrCount());
    assertEquals(0, alice.list("/tmp", 10).get(0).getAttributes().getXattrCount());
    assertEquals(1, alice.xattrs("/tmp/f").size());
  }

  @Test
  void aFileSaysThatItIsBeingWritten() throws Exception {
    assertFalse(beingWritten("/tmp/f"));
    CreateReply created = alice.create("/tmp/g");
    assertTrue(beingWritten("/tmp/g"));
    alice.abandon(created);
    assertTrue(beingWritten("/tmp/g"), "it waits for its recovery");
    volume.own(new FinishResolve(volume.machine().resolving().get(0).number(), 0));
    assertFalse(beingWritten("/tmp/g"));
  }

  private boolean beingWritten(String path) throws WeftException {
    return TestClient.parse(
            org.weft.protocol.wire.AttributesReply.parser(),
            weft.execute(new GetAttributes(TestClient.path(path))))
        .getBeingWritten();
  }

  private static LayoutMessage.Builder code(int data, int parity) {
    return LayoutMessage.newBuilder().setDataUnits(data).setParityUnits(parity);
  }

  @Test
  void newFilesAndDirectoriesAreCutAsTheirDirectorySays() throws WeftException {
    weft.mkdir("/d/old", 0777, 0, true);
    weft.layout("/d", code(2, 1).setUnitBytes(1 << 20).setGroups(1));
    LayoutMessage file = weft.create("/d/f").getAttributes().getMap().getLayout();
    assertEquals(code(2, 1).setUnitBytes(1 << 20).setGroups(1).build(), withoutDepth(file));
    assertFalse(weft.attributes("/d/old").hasDefaultLayout(), "it was there before");
    assertEquals(
        weft.attributes("/d").getDefaultLayout(),
        weft.mkdir("/d/x/y", 0777, 0, true).getDefaultLayout());
    LayoutMessage deeper = weft.create("/d/x/y/f").getAttributes().getMap().getLayout();
    assertEquals(file, deeper);
    weft.layout("/d/x", null);
    assertFalse(weft.attributes("/d/x").hasDefaultLayout());
    assertEquals(5, weft.create("/d/x/f").getAttributes().getMap().getOsdCount());
    TestClient next = weft.with(volume.restarted());
    assertEquals(file, next.create("/d/g").getAttributes().getMap().getLayout());
  }

  private static LayoutMessage withoutDepth(LayoutMessage layout) {
    return layout.toBuilder().clearGroupDepth().build();
  }

  @Test
  void explicitAttributesWinAtCreation() throws WeftException {
    weft.mkdir("/d");
    weft.layout("/d", code(2, 2).setUnitBytes(128 << 10));
    assertEquals(code(2, 2).setUnitBytes(8 << 10).setGroups(1).build(), created(unit(8 << 10)));
    assertEquals(code(4, 0).setUnitBytes(128 << 10).setGroups(1).build(), created(code(4, 0)));
    assertEquals(code(1, 0).setUnitBytes(128 << 10).setGroups(3).build(), created(code(1, 0)));
    assertEquals(
        code(2, 2).setUnitBytes(128 << 10).setGroups(1).build(),
        created(LayoutMessage.newBuilder().setParityUnits(1)),
        "without data units the parity counts for nothing");
  }

  private static LayoutMessage.Builder unit(int bytes) {
    return LayoutMessage.newBuilder().setUnitBytes(bytes);
  }

  private LayoutMessage created(LayoutMessage.Builder wish) throws WeftException {
    CreateFile operation =
        new CreateFile(TestClient.path("/d/f"), 0644, 0, false, false, Optional.of(wish.build()));
    CreateReply reply = TestClient.parse(CreateReply.parser(), weft.execute(operation));
    weft.close(reply, 0);
    weft.unlink("/d/f");
    return withoutDepth(reply.getAttributes().getMap().getLayout());
  }

  @Test
  void layoutsAreCheckedWhenTheyAreSet() throws WeftException {
    weft.mkdir("/d");
    WeftException tooWide =
        refused(ErrorCode.INVALID_ARGUMENT, () -> weft.layout("/d", code(8, 1)));
    assertTrue(tooWide.getMessage().contains("there are 6"), tooWide.getMessage());
    WeftException tooMany =
        refused(ErrorCode.INVALID_ARGUMENT, () -> weft.layout("/d", code(2, 1).setGroups(3)));
    assertTrue(tooMany.getMessage().contains("needs 9 OSDs"), tooMany.getMessage());
    refused(ErrorCode.INVALID_ARGUMENT, () -> weft.layout("/d", code(1, 3)));
    refused(ErrorCode.INVALID_ARGUMENT, () -> weft.layout("/d", unit(5_000)));
    refused(ErrorCode.NOT_DIRECTORY, () -> weft.layout("/tmp/f", code(2, 1)));
    refused(ErrorCode.PERMISSION_DENIED, () -> bob.layout("/tmp", code(2, 1)));
    alice.mkdir("/tmp/own");
    alice.layout("/tmp/own", code(2, 1));
  }

  @Test
  void aUserThatMayWriteMaySetTheTimesToNow() throws WeftException {
    alice.chmod("/tmp/f", 0602);
    volume.pass(100);
    long now = volume.now().wallMillis();
    long sentinel = SetAttributes.NOW_MILLIS;
    FileAttributes touched = touch(bob, sentinel, sentinel);
    assertEquals(now, touched.getMtimeMillis());
    assertEquals(now, touched.getAtimeMillis());
    refused(ErrorCode.PERMISSION_DENIED, () -> touch(bob, 5, 5));
    refused(ErrorCode.PERMISSION_DENIED, () -> touch(bob, sentinel, 5));
    assertEquals(5, touch(alice, 5, 6).getMtimeMillis());
    assertEquals(-7, touch(alice, -7, 6).getMtimeMillis(), "times before 1970 are times");
    alice.chmod("/tmp/f", 0400);
    assertEquals(now, touch(alice, sentinel, sentinel).getMtimeMillis(), "it is hers");
    refused(ErrorCode.PERMISSION_DENIED, () -> touch(bob, sentinel, sentinel));
  }

  private static FileAttributes touch(TestClient client, long mtime, long atime)
      throws WeftException {
    return TestClient.attributes(
        client.execute(
            new SetAttributes(
                TestClient.path("/tmp/f"),
                OptionalInt.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.of(mtime),
                OptionalLong.of(atime))));
  }

  @Test
  void readingIsNoTimeOfAFile() throws WeftException {
    FileAttributes before = alice.attributes("/tmp/f");
    volume.pass(1_000);
    assertEquals(before, alice.open("/tmp/f").getAttributes());
    assertEquals(before, alice.attributes("/tmp/f"));
  }

  @Test
  void newNodesHaveTheGroupOfTheirDirectory() throws WeftException {
    weft.chown("/tmp", null, "team");
    assertEquals("team", alice.create("/tmp/g").getAttributes().getGroup());
    FileAttributes plain = alice.mkdir("/tmp/d");
    assertEquals("team", plain.getGroup());
    assertEquals(0, plain.getMode() & 02000);
    assertEquals("team", alice.symlink("x", "/tmp/l").getGroup());
    weft.chmod("/tmp", 03777);
    assertEquals(02000, alice.mkdir("/tmp/e").getMode() & 02000);
  }

  @Test
  void aNodeKeepsItsKindInItsPage() throws WeftException {
    weft.symlink("x", "/l");
    assertEquals(NodeKind.FILE, lastPut("/tmp/f").kind());
  }
}
