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
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What Hadoop asks for and Weft has not: it is refused, or said, and nothing is pretended. */
class ModeAclTest {
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
  void anAclSaysWhatTheModeSays() throws IOException {
    AclStatus acl = fs.getAclStatus(FILE);
    assertEquals(List.of(), acl.getEntries());
    assertEquals(new FsPermission((short) 01640), acl.getPermission());
    assertEquals(fs.getFileStatus(FILE).getOwner(), acl.getOwner());
    assertEquals(fs.getFileStatus(FILE).getGroup(), acl.getGroup());
    assertTrue(acl.isStickyBit());
    assertFalse(fs.hasPathCapability(FILE, CommonPathCapabilities.FS_ACLS));
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "user::rwx,user:bob:r--,group::r-x,other::r--",
        "user::rwx,group::r-x,group:people:r--,other::r--",
        "user::rwx,group::r-x,mask::r--,other::r--",
        "user::rwx,group::r-x,other::r--,default:user::rwx",
      })
  void whatNoModeCanSayIsRefusedAndNothingChanges(String text) throws IOException {
    for (var change :
        List.<org.junit.jupiter.api.function.Executable>of(
            () -> fs.setAcl(FILE, entries(text)), () -> fs.modifyAclEntries(FILE, entries(text)))) {
      PathIOException refused = assertThrows(PathIOException.class, change);
      assertTrue(refused.getMessage().contains(FILE.toString()), refused::toString);
      assertTrue(refused.getMessage().contains("cannot be kept"), refused::toString);
    }
    assertMode(01640);
  }

  @Test
  void anAclNeedsAllThreeEntriesOfTheMode() throws IOException {
    assertThrows(PathIOException.class, () -> fs.setAcl(FILE, entries("user::rwx,other::r--")));
    assertThrows(
        PathIOException.class,
        () -> fs.removeAclEntries(FILE, AclEntry.parseAclSpec("user::", false)));
    assertMode(01640);
  }

  @Test
  void whatIsNotThereHasNoAcl() {
    assertThrows(FileNotFoundException.class, () -> fs.getAclStatus(MISSING));
    assertThrows(FileNotFoundException.class, () -> fs.removeAcl(MISSING));
  }

  @Test
  void replicationIsNotSetAndThatIsSaidOnce() throws IOException {
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
}
