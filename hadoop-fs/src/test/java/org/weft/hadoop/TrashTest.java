package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.Trash;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hadoop's trash, which lies in the users' home directories, against a real cluster. */
class TrashTest {
  private static final Path ROOT = new Path("/tmp/trash-test");
  private static final byte[] CONTENT = {1, 2, 3};

  private final Configuration conf = new Configuration();
  private FileSystem fs;

  @BeforeEach
  void withTrash() throws IOException {
    SharedCluster.get().makeHome();
    conf.set("fs.trash.interval", "60");
    fs = FileSystem.newInstance(URI.create(SharedCluster.get().uri()), conf);
    fs.delete(ROOT, true);
    fs.delete(fs.getTrashRoot(ROOT), true);
    fs.mkdirs(ROOT);
    fs.setPermission(ROOT, new FsPermission((short) 0777));
  }

  @AfterEach
  void disconnect() throws IOException {
    fs.delete(ROOT, true);
    fs.delete(fs.getTrashRoot(ROOT), true);
    fs.close();
  }

  private static Path write(FileSystem fs, String name) throws IOException {
    Path path = new Path(ROOT, name);
    try (FSDataOutputStream out = fs.create(path)) {
      out.write(CONTENT);
    }
    return path;
  }

  private int shell(String... words) throws Exception {
    FsShell shell = new FsShell(conf);
    try {
      return shell.run(words);
    } finally {
      shell.close();
    }
  }

  private static String uri(Path path) {
    return SharedCluster.get().uri().replaceAll("/$", "") + path.toUri().getPath();
  }

  private Path current() {
    return new Path(fs.getTrashRoot(ROOT), "Current");
  }

  private Path[] inTrash() throws IOException {
    return Arrays.stream(fs.listStatus(Path.mergePaths(current(), ROOT)))
        .map(FileStatus::getPath)
        .toArray(Path[]::new);
  }

  @Test
  void shellRemovalMovesFilesToTheUsersTrash() throws Exception {
    Path file = write(fs, "file");
    assertEquals(0, shell("-rm", uri(file)));
    assertFalse(fs.exists(file));
    Path kept = Path.mergePaths(current(), file);
    assertEquals(new Path(fs.getHomeDirectory(), ".Trash"), fs.getTrashRoot(file));
    try (FSDataInputStream in = fs.open(kept)) {
      assertArrayEquals(CONTENT, in.readAllBytes());
    }
    assertEquals(new FsPermission((short) 0700), fs.getFileStatus(current()).getPermission());
    assertTrue(fs.rename(kept, file));
    assertEquals(CONTENT.length, fs.getFileStatus(file).getLen());
  }

  @Test
  void aNameThatIsRemovedTwiceIsKeptTwice() throws Exception {
    for (int time = 0; time < 2; time++) {
      assertEquals(0, shell("-rm", uri(write(fs, "file"))));
    }
    Path[] kept = inTrash();
    assertEquals(2, kept.length, Arrays.toString(kept));
    assertNotEquals(kept[0].getName(), kept[1].getName());
  }

  @Test
  void expiredTrashCheckpointIsRemoved() throws Exception {
    assertEquals(0, shell("-rm", "-r", uri(write(fs, "dir/file").getParent())));
    Trash trash = new Trash(fs, conf);
    trash.checkpoint();
    FileStatus[] checkpoints = fs.listStatus(fs.getTrashRoot(ROOT));
    assertEquals(1, checkpoints.length, Arrays.toString(checkpoints));
    assertNotEquals("Current", checkpoints[0].getPath().getName());
    trash.expunge();
    assertEquals(1, fs.listStatus(fs.getTrashRoot(ROOT)).length, "an hour is not over");
    trash.expungeImmediately();
    assertEquals(0, fs.listStatus(fs.getTrashRoot(ROOT)).length);
  }

  /** Without a home there is no trash, and the file stays rather than being lost. */
  @Test
  void aFileThatCannotGoToTheTrashStays() throws Exception {
    UserGroupInformation homeless =
        UserGroupInformation.createUserForTesting("homeless", new String[] {"homeless"});
    try (FileSystem theirs =
        homeless.doAs(
            (PrivilegedExceptionAction<FileSystem>)
                () -> FileSystem.newInstance(fs.getUri(), conf))) {
      Path file = write(theirs, "theirs");
      Trash trash = new Trash(theirs, conf);
      assertThrows(IOException.class, () -> trash.moveToTrash(file));
      assertEquals(CONTENT.length, fs.getFileStatus(file).getLen());
    }
  }
}
