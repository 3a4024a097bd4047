package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryType;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Access control lists as Hadoop's users see them; and that replication is not set. */
class AclTest {
  private static final Path ROOT = new Path("/tmp/acls");
  private static final Path FILE = new Path(ROOT, "file");
  private static final Path MISSING = new Path(ROOT, "missing");

  private FileSystem fs;

  @BeforeEach
  void connect() throws IOException {
    fs = FileSystem.newInstance(URI.create(SharedCluster.get().uri()), new Configuration());
    fs.delete(ROOT, true);
    fs.mkdirs(ROOT);
    fs.create(FILE).close();
    fs.setPermission(FILE, new FsPermission((short) 01640));
  }

  @AfterEach
  void disconnect() throws IOException {
    fs.close();
  }

  private static List<AclEntry> entries(String text) {
    return AclEntry.parseAclSpec(text, true);
  }

  private void assertMode(int mode) throws IOException {
    assertEquals(new FsPermission((short) mode), fs.getFileStatus(FILE).getPermission());
  }

  @Test
  void minimalAclEqualsTheMode() throws IOException {
    AclStatus acl = fs.getAclStatus(FILE);
    assertEquals(List.of(), acl.getEntries());
    assertEquals(new FsPermission((short) 01640), acl.getPermission());
    assertEquals(fs.getFileStatus(FILE).getOwner(), acl.getOwner());
    assertEquals(fs.getFileStatus(FILE).getGroup(), acl.getGroup());
    assertTrue(acl.isStickyBit());
    assertTrue(fs.hasPathCapability(FILE, CommonPathCapabilities.FS_ACLS));
    FileContext context =
        FileContext.getFileContext(URI.create(SharedCluster.get().uri()), new Configuration());
    assertEquals(acl, context.getAclStatus(FILE));
  }

  @Test
  void entriesOfTheModeChangeIt() throws IOException {
    fs.setAcl(FILE, entries("user::rwx,group::r-x,other::r--"));
    assertMode(01754);
    fs.modifyAclEntries(FILE, entries("group::---"));
    assertMode(01704);
    fs.removeAcl(FILE);
    fs.removeDefaultAcl(FILE);
    fs.removeAclEntries(FILE, AclEntry.parseAclSpec("user:bob,default:group:people", false));
    assertMode(01704);
  }

  @Test
  void namedEntriesAreKeptAndTheModeShowsTheirMask() throws IOException {
    assertFalse(fs.getFileStatus(FILE).hasAcl());
    fs.modifyAclEntries(FILE, entries("user:bob:rw-,group:people:r-x"));
    AclStatus acl = fs.getAclStatus(FILE);
    assertEquals(entries("user:bob:rw-,group::r--,group:people:r-x"), acl.getEntries());
    assertMode(01670);
    assertTrue(fs.getFileStatus(FILE).hasAcl());
    assertTrue(fs.listStatus(ROOT)[0].hasAcl());
    fs.setPermission(FILE, new FsPermission((short) 0640));
    assertEquals(FsAction.READ, fs.getAclStatus(FILE).getPermission().getGroupAction());
    assertEquals(
        FsAction.READ,
        fs.getAclStatus(FILE).getEffectivePermission(fs.getAclStatus(FILE).getEntries().get(0)));
    fs.removeAclEntries(FILE, AclEntry.parseAclSpec("user:bob", false));
    assertEquals(entries("group::r--,group:people:r-x"), fs.getAclStatus(FILE).getEntries());
    assertMode(0650);
    fs.removeAcl(FILE);
    assertMode(0640);
    assertEquals(List.of(), fs.getAclStatus(FILE).getEntries());
    assertFalse(fs.getFileStatus(FILE).hasAcl());
  }

  @Test
  void newFilesBeginWithTheDefaultOfTheirDirectoryWhateverTheUmask() throws IOException {
    fs.modifyAclEntries(ROOT, entries("default:user:bob:rwx,default:group::r-x"));
    assertEquals(
        entries(
            "default:user::rwx,default:user:bob:rwx,default:group::r-x,default:mask::rwx,"
                + "default:other::r-x"),
        fs.getAclStatus(ROOT).getEntries());
    Path below = new Path(ROOT, "deep/below");
    fs.mkdirs(below, new FsPermission((short) 0777));
    fs.create(new Path(below, "file")).close();
    assertEquals(
        new FsPermission((short) 0775), fs.getFileStatus(below).getPermission(), "no umask");
    assertEquals(
        new FsPermission((short) 0664), fs.getFileStatus(new Path(below, "file")).getPermission());
    assertEquals(
        entries("user:bob:rwx,group::r-x"), fs.getAclStatus(new Path(below, "file")).getEntries());
    assertEquals(7, fs.getAclStatus(below).getEntries().size());
    FileContext context =
        FileContext.getFileContext(URI.create(SharedCluster.get().uri()), new Configuration());
    context.mkdir(new Path(below, "dir"), new FsPermission((short) 0777), true);
    assertEquals(
        new FsPermission((short) 0775), fs.getFileStatus(new Path(below, "dir")).getPermission());
    context.create(new Path(below, "by-context"), EnumSet.of(CreateFlag.CREATE)).close();
    assertEquals(
        new FsPermission((short) 0664),
        fs.getFileStatus(new Path(below, "by-context")).getPermission());
    fs.rename(below, new Path(ROOT, "moved"));
    context.removeDefaultAcl(ROOT);
    assertEquals(List.of(), fs.getAclStatus(ROOT).getEntries());
    assertEquals(7, fs.getAclStatus(new Path(ROOT, "moved")).getEntries().size());
    fs.mkdirs(new Path(ROOT, "plain"), new FsPermission((short) 0777));
    assertEquals(
        new FsPermission((short) 0755), fs.getFileStatus(new Path(ROOT, "plain")).getPermission());
  }

  @Test
  void namedUsersAndGroupsDoWhatTheListSaysAndNoMore() throws Exception {
    FileSystem bob = as("bob", "bobs");
    FileSystem carol = as("carol", "people");
    assertDenied(bob);
    assertDenied(carol);
    fs.setAcl(
        FILE, entries("user::rw-,user:bob:r--,group::---,group:people:r--,mask::r--,other::---"));
    bob.open(FILE).close();
    bob.access(FILE, FsAction.READ);
    carol.open(FILE).close();
    assertThrows(AccessControlException.class, () -> bob.access(FILE, FsAction.WRITE));
    assertThrows(AccessControlException.class, () -> bob.append(FILE));
    assertThrows(
        AccessControlException.class, () -> bob.modifyAclEntries(FILE, entries("user:bob:rwx")));
    assertThrows(AccessControlException.class, () -> bob.removeAcl(FILE));
    fs.modifyAclEntries(FILE, entries("mask::---"));
    assertDenied(bob);
    assertDenied(carol);
    bob.close();
    carol.close();
  }

  private static FileSystem as(String user, String group) throws Exception {
    return UserGroupInformation.createUserForTesting(user, new String[] {group})
        .doAs(
            (PrivilegedExceptionAction<FileSystem>)
                () ->
                    FileSystem.newInstance(
                        URI.create(SharedCluster.get().uri()), new Configuration()));
  }

  private static void assertDenied(FileSystem as) {
    assertThrows(AccessControlException.class, () -> as.open(FILE));
    assertThrows(AccessControlException.class, () -> as.access(FILE, FsAction.READ));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "user::rwx,other::r--",
        "user::rwx,group::r-x,other::r--,default:user::rwx",
        "user::rwx,user:bob:r--,user:bob:rw-,group::r-x,other::r--",
      })
  void invalidAclIsRefusedAndNothingChanges(String text) throws IOException {
    PathIOException refused =
        assertThrows(PathIOException.class, () -> fs.setAcl(FILE, entries(text)));
    assertTrue(refused.getMessage().contains(FILE.toString()), refused::toString);
    assertTrue(refused.getMessage().contains("Invalid ACL"), refused::toString);
    assertMode(01640);
  }

  @Test
  void baseEntriesAndAMaskInUseStay() throws IOException {
    assertThrows(
        PathIOException.class,
        () -> fs.removeAclEntries(FILE, AclEntry.parseAclSpec("user::", false)));
    fs.modifyAclEntries(FILE, entries("user:bob:rw-"));
    assertThrows(
        PathIOException.class,
        () -> fs.removeAclEntries(FILE, AclEntry.parseAclSpec("mask::", false)));
    assertMode(01660);
  }

  @Test
  void missingFileHasNoAcl() {
    assertThrows(FileNotFoundException.class, () -> fs.getAclStatus(MISSING));
    assertThrows(FileNotFoundException.class, () -> fs.removeAcl(MISSING));
  }

  @Test
  void unsupportedReplicationIsLoggedOnce() throws IOException {
    Logger log = (Logger) LoggerFactory.getLogger(WeftHadoopFileSystem.class);
    ListAppender<ILoggingEvent> said = new ListAppender<>();
    said.start();
    log.addAppender(said);
    try {
      assertFalse(fs.setReplication(ROOT, (short) 2));
      assertFalse(fs.setReplication(MISSING, (short) 2));
      assertEquals(List.of(), said.list);
      assertTrue(fs.setReplication(FILE, (short) 2));
      assertTrue(fs.setReplication(FILE, (short) 3));
      assertEquals(1, said.list.size());
      assertTrue(said.list.get(0).getFormattedMessage().contains("fs.weft.layout.parity-units"));
    } finally {
      log.detachAppender(said);
    }
  }

  @Test
  void anEntryWithoutPermissionIsRefusedAndTakesNoAccessAway() throws IOException {
    fs.modifyAclEntries(FILE, entries("user:bruce:rwx"));
    AclEntry without = new AclEntry.Builder().setType(AclEntryType.USER).setName("bruce").build();
    for (boolean all : new boolean[] {true, false}) {
      PathIOException refusal =
          assertThrows(
              PathIOException.class,
              () -> {
                if (all) {
                  fs.setAcl(FILE, List.of(without));
                } else {
                  fs.modifyAclEntries(FILE, List.of(without));
                }
              });
      assertTrue(refusal.getMessage().contains("has no permission"), refusal.getMessage());
    }
    assertTrue(fs.getAclStatus(FILE).getEntries().toString().contains("user:bruce:rwx"));
    fs.removeAclEntries(FILE, List.of(without));
    assertFalse(fs.getAclStatus(FILE).getEntries().toString().contains("bruce"));
  }

  @Test
  void namesOfEntriesHaveNoControlCharacters() throws IOException {
    AclEntry forged =
        new AclEntry.Builder()
            .setType(AclEntryType.USER)
            .setName("bruce\nuser=eve")
            .setPermission(FsAction.ALL)
            .build();
    PathIOException refusal =
        assertThrows(PathIOException.class, () -> fs.modifyAclEntries(FILE, List.of(forged)));
    assertTrue(refusal.getMessage().contains("control character"), refusal.getMessage());
  }
}
