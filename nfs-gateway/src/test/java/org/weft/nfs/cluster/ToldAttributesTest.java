package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.model.Fattr;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;
import org.weft.nfs.model.Nfs3Client.Set;
import org.weft.nfs.model.WccData;

/**
 * Attributes in the replies of a gateway on a cluster: those of refusals, and what writes make of
 * mode and times.
 */
class ToldAttributesTest {
  private static final int ANN = 4_001;
  private static final int BOB = 4_002;
  private static final long LONG_AGO = 1_000_000_000_000_000_000L;

  @TempDir static Path data;

  private static TestCluster cluster;
  private static NfsDaemon gateway;
  private static int made;

  private Nfs3Client root;
  private Nfs3Client ann;
  private Nfs3Client bob;
  private byte[] home;

  @BeforeAll
  static void start() throws Exception {
    cluster = new TestCluster(data);
    cluster.exportOpen("/");
    gateway = cluster.gateway();
  }

  @AfterAll
  static void stop() throws Exception {
    gateway.close();
    cluster.close();
  }

  /** A directory of Ann's, with a directory in it that has an entry. */
  @BeforeEach
  void aDirectory() throws Exception {
    root = cluster.connect(gateway.address(), 0, 0);
    ann = cluster.connect(gateway.address(), ANN, ANN);
    bob = cluster.connect(gateway.address(), BOB, BOB);
    byte[] top = root.mount("/").handle;
    String name = "home-" + made++;
    home = root.mkDir(top, name, new Set(0755, ANN, ANN, null, null, null)).handle;
    byte[] full = ann.mkDir(home, "full", Set.mode(0755)).handle;
    ok(ann.create(full, "f", true, Set.mode(0644)));
  }

  private static Result ok(Result result) {
    assertEquals(Nfs3Client.OK, result.status);
    return result;
  }

  /** It is as GETATTR says, and it was so before. */
  private void assertTold(WccData told, byte[] of) {
    Fattr now = root.getAttr(of).node;
    assertNotNull(told.before(), "before");
    assertEquals(now, told.after());
    assertEquals(new WccData.Pre(now.size(), now.mtime(), now.ctime()), told.before());
  }

  private void assertRefused(int status, Result refused, byte[] directory) {
    assertEquals(status, refused.status);
    assertTold(refused.wcc, directory);
  }

  @Test
  void missingNameReplyHasItsDirectorysAttributes() {
    Result missing = ann.lookup(home, "none");
    assertEquals(Nfs3Client.NOENT, missing.status);
    assertEquals(root.getAttr(home).node, missing.directory);
    byte[] closed = ok(ann.mkDir(home, "closed", Set.mode(0700))).handle;
    Result denied = bob.lookup(closed, "none");
    assertEquals(Nfs3Client.ACCES, denied.status);
    assertEquals(root.getAttr(closed).node, denied.directory, "as GETATTR may tell anyone");
  }

  @Test
  void refusedNameChangeReplyHasItsDirectoriesAttributes() {
    byte[] other = ok(ann.mkDir(home, "other", Set.mode(0755))).handle;
    byte[] file = ok(ann.create(home, "f", true, Set.mode(0644))).handle;
    assertRefused(Nfs3Client.EXIST, ann.create(home, "f", true, Set.NONE), home);
    assertRefused(Nfs3Client.EXIST, ann.createExclusive(home, "f", 7), home);
    assertRefused(Nfs3Client.EXIST, ann.mkDir(home, "f", Set.NONE), home);
    assertRefused(Nfs3Client.EXIST, ann.symlink(home, "f", new byte[] {'x'}), home);
    assertRefused(Nfs3Client.PERM, ann.mkNod(home, "disk", 3, 8, 1), home);
    assertRefused(Nfs3Client.ACCES, bob.create(home, "g", true, Set.NONE), home);
    assertRefused(Nfs3Client.NOENT, ann.remove(home, "none"), home);
    assertRefused(Nfs3Client.NOTEMPTY, ann.rmDir(home, "full"), home);
    Result linked = ann.link(file, home, "other");
    assertRefused(Nfs3Client.EXIST, linked, home);
    assertEquals(root.getAttr(file).node, linked.node);
    Result moved = ann.rename(home, "none", other, "g");
    assertRefused(Nfs3Client.NOENT, moved, home);
    assertTold(moved.second, other);
    Result within = ann.rename(home, "none", home, "g");
    assertRefused(Nfs3Client.NOENT, within, home);
    assertTold(within.second, home);
  }

  @Test
  void refusedAttributeChangeReplyHasTheNodesAttributes() {
    byte[] file = ok(ann.create(home, "f", true, Set.mode(0644))).handle;
    Result denied = bob.setAttr(file, Set.mode(0777), null);
    assertEquals(Nfs3Client.PERM, denied.status);
    assertTold(denied.wcc, file);
    Result guarded = ann.setAttr(file, Set.mode(0600), LONG_AGO);
    assertEquals(Nfs3Client.NOT_SYNC, guarded.status);
    assertTold(guarded.wcc, file);
  }

  /** P 6.5c.8.34. */
  @Test
  void writeByAnotherUserClearsSetuid() {
    byte[] file = ok(ann.create(home, "f", true, Set.NONE)).handle;
    for (int stability : new int[] {Nfs3Client.UNSTABLE, Nfs3Client.FILE_SYNC}) {
      ok(ann.setAttr(file, Set.mode(06777), null));
      ok(root.write(file, 0, stability, new byte[] {1}));
      assertEquals(06777, ann.getAttr(file).node.mode());
      assertEquals(0777, ok(bob.write(file, 0, stability, new byte[] {2})).wcc.after().mode());
      assertEquals(0777, ann.getAttr(file).node.mode());
    }
    ok(ann.setAttr(file, Set.mode(06777), null));
    ok(bob.setAttr(file, Set.size(0), null));
    assertEquals(0777, ann.getAttr(file).node.mode());
    ok(ann.setAttr(file, Set.mode(06777), null));
    ok(root.setAttr(file, new Set(null, 0, null, null, null, null), null));
    assertEquals(0777, ann.getAttr(file).node.mode(), "it would run as root");
  }

  /** P 6.5c.7.10. */
  @Test
  void timesSetAfterAnUnstableWriteStay() {
    byte[] file = ok(ann.create(home, "f", true, Set.mode(0644))).handle;
    ok(ann.write(file, 0, Nfs3Client.UNSTABLE, new byte[100]));
    ok(ann.setAttr(file, new Set(null, null, null, null, null, LONG_AGO), null));
    ok(ann.commit(file, 0, 0));
    Fattr committed = ann.getAttr(file).node;
    assertEquals(LONG_AGO, committed.mtime());
    assertEquals(100, committed.size());
    ok(ann.write(file, 0, Nfs3Client.UNSTABLE, new byte[50]));
    ok(ann.commit(file, 0, 0));
    assertTrue(ann.getAttr(file).node.mtime() > LONG_AGO, "what is written later has a later time");
  }
}
