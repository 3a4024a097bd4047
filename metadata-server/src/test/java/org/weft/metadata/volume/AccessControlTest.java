package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.acl.AclEdit;
import org.weft.metadata.acl.Acls;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.volume.operation.attributes.AclQuestion;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.attributes.SetAcl;
import org.weft.metadata.volume.operation.name.LinkFile;
import org.weft.metadata.volume.operation.name.MakeSymlink;
import org.weft.metadata.volume.operation.name.Rename;
import org.weft.metadata.volume.path.Permissions;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclScope;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.FileAttributes;
import org.weft.testkit.names.NameUser;
import org.weft.testkit.names.NodeRights;

/** Access control lists: the rights they give, what becomes of them, and what is refused. */
class AccessControlTest {
  private static final long FIRST_SEED = 95_460_000L;
  private static final List<String> USERS = List.of("alice", "bob", "carol", "dave", "eve");
  private static final List<String> GROUPS = List.of("alices", "team", "carols", "strangers");

  private TestVolume volume;
  private TestClient alice;
  private TestClient bob;

  @BeforeEach
  void aDirectoryOfAlice() throws WeftException {
    volume = TestVolume.formatted(22);
    alice = volume.client("alice", "alices");
    bob = volume.client("bob", "team", "bobs");
    volume.superuser().mkdir("/tmp", 01777, 0, false);
    alice.mkdir("/tmp/d", 0750, 0, false);
  }

  private static void change(TestClient by, AclChange change, String path, String entries)
      throws WeftException {
    List<AclEntry> named =
        entries.isEmpty()
            ? List.of()
            : AclEntry.parseAll(entries, change != AclChange.REMOVE_ENTRIES);
    var unused = by.execute(new SetAcl(TestClient.path(path), change, named));
  }

  private static void modify(TestClient by, String path, String entries) throws WeftException {
    change(by, AclChange.MODIFY, path, entries);
  }

  private static String acl(TestClient by, String path) throws WeftException {
    FileAttributes shown =
        TestClient.attributes(
            by.execute(
                new GetAttributes(
                    TestClient.path(path), false, false, false, false, new AclQuestion(true, 0))));
    Attributes node = AttributesCodec.fromMessage(shown);
    return String.join(
        ",", AclEdit.entries(node.mode(), node.acls()).stream().map(AclEntry::toString).toList());
  }

  private static WeftException refused(ErrorCode expected, Executable attempt) {
    WeftException refusal = assertThrows(WeftException.class, attempt);
    assertEquals(expected, refusal.code(), refusal.getMessage());
    return refusal;
  }

  /** The rule is written a second time, step by step, in {@link NodeRights}. */
  @Test
  void rightsAreThoseOfTheRuleForAnyListUserAndGroups() {
    int granted = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + 3_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<AclEntry> entries = RandomAclChange.whole(random, AclScope.ACCESS);
      NodeRights model =
          NodeRights.of(0, pick(random, USERS), pick(random, GROUPS))
              .changed(AclChange.REPLACE, entries, true)
              .orElseThrow();
      AclEdit edit = AclEdit.of(0, Acls.NONE, true, AclChange.REPLACE, entries);
      Attributes node =
          Attributes.create(new ObjectId(70_000), NodeKind.DIRECTORY, map())
              .owner(model.owner())
              .group(model.group())
              .mode(edit.modeBits())
              .acls(edit.acls())
              .build();
      assertEquals(model.mode(), node.mode(), () -> "mode of " + entries);
      Attributes read = AttributesCodec.fromMessage(AttributesCodec.toMessage(node));
      assertEquals(node, read);
      for (String user : USERS) {
        List<String> groups = new ArrayList<>();
        GROUPS.stream().filter(group -> random.nextInt(3) == 0).forEach(groups::add);
        Credentials credentials = new Credentials(user, groups, false);
        for (int wanted = 1; wanted < 8; wanted++) {
          boolean may = model.may(new NameUser(user, groups), wanted);
          granted += may ? 1 : 0;
          assertEquals(
              may,
              Permissions.allows(read, credentials, wanted),
              credentials
                  + " wants "
                  + wanted
                  + " of "
                  + model.owner()
                  + ":"
                  + model.group()
                  + entries);
        }
      }
      assertTrue(Permissions.allows(node, new Credentials("weft", List.of(), true), 7));
    }
    assertTrue(granted > 10_000, "granted " + granted);
  }

  private static String pick(SplittableRandom random, List<String> from) {
    return from.get(random.nextInt(from.size()));
  }

  private static StorageMap map() {
    return StorageMap.of(Layout.of(1, 1), List.of(new OsdId(1), new OsdId(2)));
  }

  @Test
  void attributesWithoutAListAreWrittenAndReadAsBefore() {
    Attributes bare =
        Attributes.create(new ObjectId(70_000), NodeKind.FILE, map()).mode(0640).build();
    FileAttributes message = AttributesCodec.toMessage(bare);
    assertFalse(message.hasAccessAcl() || message.hasDefaultAcl() || message.getHasAcl());
    assertTrue(message.getAllFields().keySet().stream().allMatch(field -> field.getNumber() < 170));
    assertEquals(bare, AttributesCodec.fromMessage(message));
    assertEquals(0, bare.acls().bytes());
    assertFalse(AttributesCodec.toShortMessage(bare).getHasAcl());
  }

  @Test
  void theMaskBoundsNamedUsersAndAllGroups() throws WeftException {
    refused(ErrorCode.PERMISSION_DENIED, () -> bob.list("/tmp/d", 9));
    modify(alice, "/tmp/d", "group:team:rwx");
    assertEquals("user::rwx,group::r-x,group:team:rwx,mask::rwx,other::---", acl(bob, "/tmp/d"));
    bob.mkdir("/tmp/d/by-bob", 0700, 0, false);
    alice.chmod("/tmp/d", 0750);
    assertEquals("user::rwx,group::r-x,group:team:rwx,mask::r-x,other::---", acl(bob, "/tmp/d"));
    assertEquals(1, bob.list("/tmp/d", 9).size());
    WeftException refusal =
        refused(ErrorCode.PERMISSION_DENIED, () -> bob.mkdir("/tmp/d/more", 0700, 0, false));
    assertTrue(refusal.getMessage().contains("and an ACL"), refusal.getMessage());
    modify(alice, "/tmp/d", "user:bob:---");
    refused(ErrorCode.PERMISSION_DENIED, () -> bob.list("/tmp/d", 9));
    change(alice, AclChange.REMOVE_ENTRIES, "/tmp/d", "user:bob,group:team");
    assertEquals("user::rwx,group::r-x,mask::r-x,other::---", acl(alice, "/tmp/d"));
    change(alice, AclChange.REMOVE_ENTRIES, "/tmp/d", "mask:");
    assertEquals("user::rwx,group::r-x,other::---", acl(alice, "/tmp/d"));
  }

  @Test
  void requiredRightsAreCheckedByTheManager() throws WeftException {
    modify(alice, "/tmp/d", "user:bob:r-x");
    bob.execute(asking(5));
    refused(ErrorCode.PERMISSION_DENIED, () -> bob.execute(asking(7)));
    refused(ErrorCode.INVALID_ARGUMENT, () -> bob.execute(asking(8)));
  }

  private static GetAttributes asking(int rights) {
    return new GetAttributes(
        TestClient.path("/tmp/d"), false, false, false, false, new AclQuestion(false, rights));
  }

  @Test
  void newNodesInheritAndKeepTheDefaultList() throws WeftException {
    modify(alice, "/tmp/d", "default:user:bob:rwx,default:other::---");
    alice.mkdir("/tmp/d/sub", 0777, 077, false);
    String whole = "user::rwx,user:bob:rwx,group::r-x,mask::rwx,other::---";
    String byDefault = ",default:" + whole.replace(",", ",default:");
    assertEquals(whole + byDefault, acl(alice, "/tmp/d/sub"));
    alice.write("/tmp/d/sub/f", 3);
    alice.execute(new MakeSymlink(TestClient.path("/tmp/d/sub/l"), "f"));
    alice.execute(new LinkFile(TestClient.path("/tmp/d/sub/f"), TestClient.path("/tmp/d/second")));
    alice.execute(new Rename(TestClient.path("/tmp/d/sub"), TestClient.path("/tmp/moved"), false));
    change(alice, AclChange.REMOVE_ALL, "/tmp/d", "");
    assertEquals("user::rwx,group::r-x,other::---", acl(alice, "/tmp/d"));
    for (TestClient looker : List.of(alice, alice.with(volume.restarted()))) {
      assertEquals(whole + byDefault, acl(looker, "/tmp/moved"));
      String ofFile = acl(looker, "/tmp/moved/f");
      assertTrue(ofFile.startsWith("user::rw-,user:bob:rwx,group::r-x,mask::"), ofFile);
      assertEquals(ofFile, acl(looker, "/tmp/d/second"));
      assertEquals(0777, looker.linkAttributes("/tmp/moved/l").getMode());
      assertFalse(looker.linkAttributes("/tmp/moved/l").hasAccessAcl());
    }
    refused(ErrorCode.PERMISSION_DENIED, () -> bob.list("/tmp/d", 9));
    assertEquals(2, bob.list("/tmp/moved", 9).size());
  }

  @Test
  void directoriesThatAreMissingAreMadePassableForTheirOwner() throws WeftException {
    modify(alice, "/tmp/d", "default:user::r--,default:user:bob:r-x");
    alice.mkdir("/tmp/d/a/b/c", 0777, 022, true);
    assertEquals(0750, alice.attributes("/tmp/d/a").getMode());
    assertTrue(acl(alice, "/tmp/d/a/b").startsWith("user::rwx,user:bob:r-x"));
    assertEquals(0450, alice.attributes("/tmp/d/a/b/c").getMode() & ~7);
  }

  @Test
  void aChangeIsOneRecordAndMovesCtimeAlone() throws WeftException {
    FileAttributes before = alice.attributes("/tmp/d");
    int records = volume.records().size();
    volume.pass(500);
    modify(alice, "/tmp/d", "user:bob:rwx,default:user:bob:rwx");
    assertEquals(records + 1, volume.records().size());
    FileAttributes after = alice.attributes("/tmp/d");
    assertTrue(after.getHasAcl());
    assertFalse(after.hasAccessAcl() || after.hasDefaultAcl(), "left out unless asked for");
    assertEquals(before.getMtimeMillis(), after.getMtimeMillis());
    assertEquals(before.getCtimeMillis() + 500, after.getCtimeMillis());
  }

  @Test
  void onlyOwnerAndSuperusersChangeTheAccessList() throws WeftException {
    modify(alice, "/tmp/d", "user:bob:rwx");
    for (AclChange change : AclChange.values()) {
      String entries =
          change == AclChange.REPLACE || change == AclChange.MODIFY
              ? "user::rwx,group::rwx,other::rwx"
              : change == AclChange.REMOVE_ENTRIES ? "user:bob" : "";
      refused(ErrorCode.PERMISSION_DENIED, () -> change(bob, change, "/tmp/d", entries));
    }
    modify(volume.superuser(), "/tmp/d", "user:carol:r-x");
    assertEquals(
        "user::rwx,user:bob:rwx,user:carol:r-x,group::r-x,mask::rwx,other::---",
        acl(alice, "/tmp/d"));
  }

  @Test
  void invalidAccessListIsRefusedWithAReason() throws WeftException {
    alice.write("/tmp/f", 3);
    assertSays("are required", AclChange.REPLACE, "/tmp/f", "user::rwx,other::---");
    assertSays("are required", AclChange.REMOVE_ENTRIES, "/tmp/f", "group:");
    assertSays("one entry for each", AclChange.MODIFY, "/tmp/f", "user:bob:r--,user:bob:rw-");
    assertSays("only a directory", AclChange.MODIFY, "/tmp/f", "default:user:bob:r--");
    assertSays("at most 255 bytes", AclChange.MODIFY, "/tmp/f", "user:" + "x".repeat(256) + ":r--");
    assertSays("at least one entry", AclChange.MODIFY, "/tmp/f", "");
    modify(alice, "/tmp/f", "user:bob:r--");
    assertSays("mask of an ACL", AclChange.REMOVE_ENTRIES, "/tmp/f", "mask:");
    // Owner, owning group, mask and others are four, bob one.
    StringBuilder many = new StringBuilder();
    for (int user = 0; user < 28; user++) {
      many.append(user == 0 ? "" : ",").append("user:u").append(user).append(":r--");
    }
    assertSays("at most 32 entries", AclChange.MODIFY, "/tmp/f", many.toString());
    change(alice, AclChange.REMOVE_ENTRIES, "/tmp/f", "user:bob");
    modify(alice, "/tmp/f", many.toString());
    assertEquals(32, acl(alice, "/tmp/f").split(",", -1).length);
  }

  private void assertSays(String what, AclChange change, String path, String entries) {
    WeftException refusal =
        refused(ErrorCode.INVALID_ARGUMENT, () -> change(alice, change, path, entries));
    assertTrue(refusal.getMessage().contains(what), refusal.getMessage());
    assertTrue(refusal.getMessage().contains(path), refusal.getMessage());
  }

  @Test
  void aListFitsThePageBesideExtendedAttributes() throws WeftException {
    alice.setXattr("/tmp/d", "user.a", "x".repeat(47 << 10));
    StringBuilder long28 = new StringBuilder();
    for (int user = 10; user < 20; user++) {
      long28.append(user == 10 ? "" : ",").append("user:").append("n".repeat(200)).append(user);
      long28.append(":r--");
    }
    assertSays("does not fit", AclChange.MODIFY, "/tmp/d", long28.toString());
  }

  @Test
  void parentsThatDoNotFitOneRecordAreRefusedAsAWhole() throws WeftException {
    StringBuilder entries = new StringBuilder();
    for (int user = 10; user < 38; user++) {
      entries.append(user == 10 ? "" : ",").append("default:user:").append("n".repeat(250));
      entries.append(user).append(":r-x");
    }
    modify(alice, "/tmp/d", entries.toString());
    refused(ErrorCode.OVERLOADED, () -> alice.mkdir("/tmp/d" + "/x".repeat(200), 0777, 0, true));
    assertEquals(0, alice.list("/tmp/d", 9).size());
    alice.mkdir("/tmp/d" + "/x".repeat(20), 0777, 0, true);
  }
}
